package reports

import (
	"infbench/reports/paperview"
	"infbench/reports/section"
)

// Views lists the names of the ready views: those of the paper, and scaling curves.
func Views() []string { return append(paperview.Names(), scalingName) }

// StudyViews lists the views that show studies and need no trial.
func StudyViews() []string { return paperview.OfStudies() }

// titleOfView returns the title of a view.
func titleOfView(name string) string {
	if name == scalingName {
		return scalingTitle
	}
	return paperview.Title(name)
}

// showView shows a view of the runs, with the paper's version if requested, and names
// missing data.
func (r *Report) showView(s *section.Section) (err error) {
	o := r.options
	if o.View == scalingName {
		s.Parts, err = scalingSections(r.set)
		return err
	}
	s.Parts, err = paperview.Sections(o.View, r.set, paperview.Options{Published: o.Published, Repositories: o.Repositories, Studies: o.Studies})
	return err
}
