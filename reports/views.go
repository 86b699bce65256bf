package reports

import (
	"infbench/reports/paperview"
	"infbench/reports/section"
)

// Views lists the names of the views that the paper has too.
func Views() []string { return paperview.Names() }

// StudyViews lists the views that show studies and need no trial.
func StudyViews() []string { return paperview.OfStudies() }

// showView shows a view: of the runs, of the paper where it was asked for, and of
// what is missing.
func (r *Report) showView(s *section.Section) error {
	o := r.options
	parts, err := paperview.Sections(o.View, r.set, paperview.Options{Published: o.Published, Repositories: o.Repositories, Studies: o.Studies})
	s.Parts = parts
	return err
}
