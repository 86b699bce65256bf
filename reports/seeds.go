package reports

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// seedSpread is how far the training runs of a system lie apart in one column.
type seedSpread struct {
	runs []float64 // mean of each run that has a value
	mean float64
	half float64 // half of the 95% t interval of the mean over runs
}

// spread gathers the runs of a system; ok is false for fewer than two, which
// say nothing of a third.
func (v *view) spread(s *system, c column) (seedSpread, bool) {
	g := v.gathered(s, c)
	var out seedSpread
	for _, t := range s.trials {
		if m := g.of(t); m.tests == len(c.Tasks) {
			out.runs = append(out.runs, m.mean)
		}
	}
	if len(out.runs) < 2 {
		return out, false
	}
	var deviation float64
	out.mean, deviation = stat.MeanStdDev(out.runs, nil)
	n := float64(len(out.runs))
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
	out.half = t * deviation / math.Sqrt(n)
	return out, true
}

// words prints the half width of the interval: "±1.2".
func (s seedSpread) words() string { return "±" + fixed(100*s.half, 1) }

// seedTable lists mean and interval over training runs; nil where no system has
// two.
func (v *view) seedTable(id string, columns []column) *Table {
	t := &Table{ID: id, Title: "Training runs",
		Caption: "Mean ×100 over training runs that differ in their seed, ± half of its 95% t interval over the runs, and their number. " +
			"It says how far another seed would move the number; the intervals of the tests say how far other queries would.",
		Columns: []Column{{Name: "system"}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.heading())
	}
	for _, s := range v.systems {
		row := Row{Kind: s.kind, Entries: []Entry{{Text: s.label}}}
		several := false
		for _, c := range columns {
			found, ok := v.spread(s, c)
			if !ok {
				row.Entries = append(row.Entries, Entry{})
				continue
			}
			several = true
			e := number(fmt.Sprintf("%s %s (%d)", percent(c.Measure, found.mean), found.words(), len(found.runs)), found.mean)
			e.From = v.link(StatRuns, s.trials, c.slots())
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
