package reports

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// costCharts draw quality against cost, on the first number of each benchmark: the mean seconds
// of training and evaluation of one run. Systems without both have no point.
func costCharts(v *scores.Set, id string, columns []scores.Number, room int) ([]*chart.Figure, error) {
	var out []*chart.Figure
	clock := clockOf(v)
	for i, c := range columns {
		if len(out) == costChartsAtMost || slices.ContainsFunc(columns[:i], func(other scores.Number) bool { return other.Benchmark == c.Benchmark }) {
			continue
		}
		f, points := costChart(v, fmt.Sprintf("%s-%d", id, len(out)+1), c, clock, room)
		if points < 2 {
			continue
		}
		drawn, err := f.Drawn()
		if err != nil {
			return nil, err
		}
		out = append(out, drawn)
	}
	return out, nil
}

// costChartsAtMost is the largest number of charts of one board.
const costChartsAtMost = 4

// costChart draws one number, and counts its points.
func costChart(v *scores.Set, id string, c scores.Number, of clock, room int) (f *chart.Figure, points int) {
	x, y := "train and evaluate, "+of.unit, c.Scoring()+" ×100"
	title := c.Label() + " against cost"
	f = &chart.Figure{ID: id, Title: title, Height: 380, X: chart.Axis{Title: x, Log: true}, Y: chart.Axis{Title: y},
		Caption: "Better quality for less time is at the top left. The axis of time is logarithmic. Circles are trained systems, diamonds are baselines, triangles are systems that do not look at the query.",
		Marks:   []chart.Mark{{Shape: chart.Circle, Name: string(table.Trained)}, {Shape: chart.Diamond, Name: string(table.Baseline), Colour: chart.Series[1]}, {Shape: chart.Triangle, Name: string(table.Null), Colour: chart.Muted}},
		Table:   &table.Table{ID: id + "-table", Title: title, Columns: []table.Column{{Name: "system"}, {Name: x, Number: true, Best: table.Lowest}, c.Heading()}}}
	if of.why != "" {
		f.Caption += " " + of.why
	}
	kinds := []table.Kind{table.Trained, table.Baseline, table.Null}
	for _, s := range v.Systems {
		seconds := of.total(s)
		cell := v.Cell(s, c)
		if seconds.Sort == nil || *seconds.Sort <= 0 || !cell.State.Valued() {
			f.Table.Notes = append(f.Table.Notes, s.Label+" has no point: a number or a time is missing.")
			continue
		}
		m := &f.Marks[slices.Index(kinds, s.Kind)]
		m.Data = append(m.Data, chart.Datum{Name: s.Label, X: *seconds.Sort, Y: words.Scaled(cell.Value), Tip: fmt.Sprintf("%s\n%s %s\n%s %s", s.Label, c.Scoring(), cell.Entry().Text, seconds.Text, of.unit)})
		points++
		f.Table.Add(room, func() table.Row {
			return table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}, seconds, cell.Entry()}}
		})
	}
	f.Alt = fmt.Sprintf("Scatter of %d systems: %s; the table below holds the numbers.", points, title)
	return f, points
}

// total returns the mean seconds of training and evaluation together. Systems that were not
// trained have only the latter.
func (c clock) total(s *scores.System) table.Entry {
	return meanOver(s, func(t *scores.Trial) (float64, bool) {
		of := c.of(t.Provenance)
		evaluate, ok := of["evaluate"]
		train, trained := of["train"]
		if s.Kind != table.Trained {
			train, trained = 0, true
		}
		return train + evaluate, ok && trained
	}, 1)
}
