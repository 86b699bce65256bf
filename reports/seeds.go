package reports

import (
	"fmt"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// seedSections fold the training runs below the board.
func seedSections(b *Board, _ contrast.Options) ([]Section, error) {
	return []Section{{ID: b.ID + "-runs", Title: "Training runs", Folded: true, Tables: listed(b.seeds)}}, nil
}

// seedSpread is how far the training runs of a system lie apart in one column.
type seedSpread struct {
	runs []float64 // mean of each run that has a value
	mean float64
	half float64 // half of the 95% t interval of the mean over runs
}

// Spread gathers the runs of a system; ok is false for fewer than two, which
// say nothing of a third.
func spread(v *scores.Set, s *scores.System, c scores.Number) (seedSpread, bool) {
	g := v.Gathered(s, c)
	var out seedSpread
	for _, t := range s.Trials {
		if m := g.Of(t); m.Tests == len(c.Tasks) {
			out.runs = append(out.runs, m.Mean)
		}
	}
	var ok bool
	out.mean, out.half, ok = stats.MeanT(out.runs, (1+contrast.Level)/2)
	return out, ok
}

// words prints the half width of the interval: "±1.2".
func (s seedSpread) words() string { return "±" + words.Fixed(100*s.half, 1) }

// seedTable lists mean and interval over training runs; nil where no system has
// two.
func seedTable(v *scores.Set, id string, columns []scores.Number) *table.Table {
	t := &table.Table{ID: id, Title: "Training runs",
		Caption: "Mean ×100 over training runs that differ in their seed, ± half of its 95% t interval over the runs, and their number. " +
			"It says how far another seed would move the number; the intervals of the tests say how far other queries would.",
		Columns: []table.Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Heading())
	}
	for _, s := range v.Systems {
		row := table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}}}
		several := false
		for _, c := range columns {
			found, ok := spread(v, s, c)
			if !ok {
				row.Entries = append(row.Entries, table.Entry{})
				continue
			}
			several = true
			e := table.Number(fmt.Sprintf("%s %s (%d)", words.Percent(c.Measure, found.mean), found.words(), len(found.runs)), found.mean)
			e.From = v.Link(table.StatRuns, s.Trials, c.Slots())
			row.Entries = append(row.Entries, e)
		}
		if several {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
