package reports

import (
	"errors"
	"fmt"

	"infbench/reports/scores"
	"infbench/reports/table"
)

// askedSections are what is shown instead of the leaderboards: a projection, a view
// that the paper has too, or what training gained.
func askedSections(r *Report) ([]Section, error) {
	s := Section{ID: "projection", Title: "Projection", Nav: "Projection"}
	var err error
	switch o := r.options; {
	case o.View != "":
		err = r.showView(&s)
	case len(r.set.Trials) == 0:
	case o.Ablation:
		if err = r.project(); err == nil {
			err = r.showAblation(&s)
		}
	default:
		if err = r.project(); err == nil && o.Projection != nil {
			err = r.showProjection(&s)
		}
	}
	r.Asked = !s.Empty()
	return []Section{s}, err
}

// show adds a table under a heading of its own.
func (s *Section) show(t *table.Table, from Source) {
	s.Parts = append(s.Parts, Section{ID: fmt.Sprintf("%s-%d", s.ID, len(s.Parts)+1), Title: t.Title, Tables: []*table.Table{t}, Source: from})
}

// project fills in the grids: those asked for, or everything by system.
func (r *Report) project() (err error) {
	p := scores.Projection{Row: []string{scores.KeySystem}, Col: []string{scores.KeyBenchmark, scores.KeyTask, scores.KeySide, scores.KeyMeasure}}
	if r.options.Projection != nil {
		p = *r.options.Projection
	}
	r.Grids, err = r.set.Pivot(p)
	return err
}

// showProjection shows the grids that were asked for.
func (r *Report) showProjection(s *Section) error {
	if len(r.Grids) == 0 {
		return errors.New("the filters leave no value to report")
	}
	for i, g := range r.Grids {
		s.show(g.AsTable(fmt.Sprintf("projection-table-%d", i+1)), Source{})
	}
	return nil
}
