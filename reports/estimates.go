package reports

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// estimates returns the means of systems on one number, with the 95% intervals of
// contrast.Singly, as rows of a chart and of a table, in the order given. Systems without
// an interval are only in the table.
func estimates(v *scores.Set, found contrast.Singly, systems []*scores.System, c scores.Number, id string) ([]chart.Estimate, *table.Table) {
	var rows []chart.Estimate
	t := &table.Table{ID: id, Title: c.Label(),
		Columns: []table.Column{{Name: "system"}, {Name: "n", Number: true, Best: table.NoBest}, {Name: c.Scoring(), Number: true}, {Name: "95% interval", Number: true, Best: table.NoBest}}}
	for _, s := range systems {
		of, cell := found.Of(s, c), v.Cell(s, c)
		if of == nil || of.Why != "" {
			if cell.State != scores.Unplanned {
				t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}, {}, cell.Entry(), {}}})
			}
			continue
		}
		between := of.Estimate.Interval(contrast.Level)
		low, high, ok := between.Get()
		if !ok { // only a point
			low, high = cell.Value, cell.Value
		}
		low, high = metrics.Inside(c.Measure, low, high)
		rows = append(rows, chart.Estimate{Name: s.Label, Kind: s.Kind, Value: words.Scaled(cell.Value), Low: words.Scaled(low), High: words.Scaled(high),
			Tip: fmt.Sprintf("%s\n%s, 95%% %s\nn = %s", s.Label, metrics.Percent(c.Measure, cell.Value), levelInterval(c.Measure, between), words.Group(cell.Queries))})
		t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}, table.Number(words.Group(cell.Queries), float64(cell.Queries)), cell.Entry(), meanInterval(v, of)}})
	}
	return rows, t
}

// levelInterval formats the interval of a measure's value. It has no signs unless the
// measure is a shift, and its ends stay within the measure's range.
func levelInterval(measure string, i stats.Interval) string {
	low, high, ok := i.Get()
	if !ok {
		return words.UndefinedMark
	}
	low, high = metrics.Inside(measure, low, high)
	return "[" + metrics.Percent(measure, low) + ", " + metrics.Percent(measure, high) + "]"
}

// bestFirst sorts systems by their means in a number; those without one come last.
func bestFirst(v *scores.Set, systems []*scores.System, c scores.Number) []*scores.System {
	best := c.Heading().Best
	return slices.SortedStableFunc(slices.Values(systems), func(a, b *scores.System) int {
		x, y := v.Cell(a, c), v.Cell(b, c)
		switch {
		case x.State.Valued() != y.State.Valued():
			if x.State.Valued() {
				return -1
			}
			return 1
		case best.Better(x.Value, y.Value):
			return -1
		case best.Better(y.Value, x.Value):
			return 1
		}
		return 0
	})
}

// intervalsAre describes the intervals of estimates.
const intervalsAre = "95% intervals over queries and training runs (of one run where there is one)"
