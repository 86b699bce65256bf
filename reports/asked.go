package reports

import (
	"errors"
	"fmt"
	"slices"

	"infbench/reports/scores"
	"infbench/reports/section"
)

// askedSections returns the sections shown instead of the leaderboards: a projection, a
// view that the paper also has, or the gains of training.
func askedSections(r *Report) ([]section.Section, error) {
	s := section.Section{ID: "projection", Title: "Projection", Nav: "Projection"}
	var err error
	switch o := r.options; {
	case o.View != "":
		s.Title = titleOfView(o.View)
		s.Nav = s.Title
		err = r.showView(&s)
	case len(r.set.Trials) == 0:
	case o.Ablation:
		err = r.showAblation(&s)
	case o.Projection != nil:
		err = r.showProjection(&s)
	}
	r.Asked = !s.Empty()
	return []section.Section{s}, err
}

// Grids returns the projection behind the tables, which is printed by formats for values:
// the requested one, or everything by system. It returns nil if there are no trials.
func (r *Report) Grids() (_ []*scores.Grid, err error) {
	if r.grids != nil || len(r.set.Trials) == 0 || r.options.View != "" {
		return r.grids, nil
	}
	p := scores.Projection{Row: []string{scores.KeySystem}, Col: []string{scores.KeyBenchmark, scores.KeyTask, scores.KeySide, scores.KeyMeasure}}
	if r.options.Projection != nil {
		p = *r.options.Projection
	}
	p.Filters = append(slices.Clip(p.Filters), r.options.filters()...)
	r.grids, err = r.set.Pivot(p)
	return r.grids, err
}

// showProjection shows the requested grids.
func (r *Report) showProjection(s *section.Section) error {
	grids, err := r.Grids()
	if err != nil {
		return err
	}
	if len(grids) == 0 {
		return errors.New("the filters leave no value to report")
	}
	for i, g := range grids {
		s.Show(g.AsTable(fmt.Sprintf("projection-table-%d", i+1)), section.Source{})
	}
	return nil
}

// showAblation shows the gains of training instead of the leaderboard.
func (r *Report) showAblation(s *section.Section) error {
	o := r.options
	var err error
	if o.Reference, err = o.referenceOn(r.set, r.set); err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	shown, err := gainSection(r.set, o, r.pair)
	s.Parts = append(s.Parts, shown.Parts...)
	r.Lead = []string{completeness(r.set)}
	return err
}
