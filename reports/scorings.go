package reports

import (
	"fmt"

	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// scoringSections returns a folded section with every number of each benchmark.
func scoringSections(b *Board, o Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-scorings", Title: "Every number"}
	for i, name := range b.Set.BenchmarkNames() {
		filters := append(o.filters(), scores.Filter{Key: scores.KeyBenchmark, Values: []string{name}})
		grids, err := b.Set.Pivot(scores.Projection{
			Table:   []string{scores.KeyBenchmark},
			Row:     []string{scores.KeySystem},
			Col:     []string{scores.KeyTask, scores.KeySide, scores.KeyMeasure},
			Filters: filters,
		})
		if err != nil {
			return nil, err
		}
		for _, g := range grids {
			t := g.AsTable(fmt.Sprintf("%s-%d-everything", b.ID, i+1))
			t.Title = "Every scoring of " + name
			s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("%s-scorings-%d", b.ID, i+1), Title: t.Title, Folded: true, Unprinted: true, Tables: []*table.Table{t}})
		}
	}
	return []section.Section{s}, nil
}
