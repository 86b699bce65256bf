package reports

import (
	"fmt"
	"strings"

	"infbench/reports/chart"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// costCharts plot quality against cost, on the first number of each benchmark: the mean seconds
// of training and evaluation of one run. Systems without both have no point.
func costCharts(v *scores.Set, id string, columns []scores.Number, room int) ([]*chart.Figure, error) {
	var out []*chart.Figure
	clock := clockOf(v)
	for i, c := range columns {
		if len(out) == costChartsAtMost || !firstOfBenchmark(columns, i) {
			continue
		}
		s := costChart(v, c, clock)
		if s.Count() < 2 {
			continue
		}
		f, err := s.Figure(fmt.Sprintf("%s-%d", id, len(out)+1))
		if err != nil {
			return nil, err
		}
		f.Table.Columns[1].Best, f.Table.Columns[2] = table.Lowest, c.Heading()
		f.Table.Cut(room)
		out = append(out, f)
	}
	return out, nil
}

// costChartsAtMost is the largest number of charts of one board.
const costChartsAtMost = 4

// costChart plots one number of each system against its cost.
func costChart(v *scores.Set, c scores.Number, of clock) *chart.Scatter {
	s := &chart.Scatter{Title: c.Label() + " against cost", X: "train and evaluate, " + of.unit, Log: true, Y: c.Scoring() + " ×100",
		Reading: strings.TrimSpace("Better quality for less time is at the top left. The axis of time is logarithmic. Circles are trained systems, diamonds are baselines, triangles are systems that do not look at the query. " + of.why),
		WhyLeft: "a number or a time is missing"}
	cells := v.Cells(c)
	for _, sys := range v.Systems {
		seconds, cell := of.total(sys), cells(sys)
		if seconds.Sort == nil || *seconds.Sort <= 0 || !cell.State.Valued() {
			s.Left = append(s.Left, sys.Label)
			continue
		}
		s.Add(sys.Label, sys.Kind, *seconds.Sort, cell.Value, seconds, cell.Entry(), fmt.Sprintf("%s\n%s %s\n%s %s", sys.Label, c.Scoring(), cell.Entry().Text, seconds.Text, of.unit))
	}
	return s
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
