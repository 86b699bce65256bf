package reports

import (
	"fmt"
	"slices"

	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
)

// tradeoffSections draws the trade-off between following instructions and retrieval
// quality.
func tradeoffSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-tradeoff", Title: section.TradeoffTitle, Nav: "Trade-off", Figures: b.tradeoff}}, nil
}

// tradeoff plots p-MRR against the retrieval quality on the original instruction, by nDCG
// if the benchmark has it. A model may follow instructions and find nothing; the pair of
// numbers shows this.
func tradeoff(v *scores.Set, id string, columns []scores.Number) ([]*chart.Figure, error) {
	var out []*chart.Figure
	found := contrast.NewSingly(v)
	for i, y := range columns {
		if !metrics.IsShift(y.Measure) {
			continue
		}
		x, ok := qualityBeside(columns, i)
		if !ok {
			continue
		}
		s := &chart.Scatter{Title: fmt.Sprintf("%s against %s on %s", y.Scoring(), x.Scoring(), y.Test()), X: x.Scoring() + " ×100", Y: y.Scoring() + " ×100",
			Reading: "Higher means following the change of instruction better; further right means better retrieval for the original instruction. " +
				"Circles are trained systems, diamonds are baselines, triangles are systems that do not look at the query.",
			Intervals: "Lines are 95% intervals of the means.", WhyLeft: "a number is missing or undefined"}
		xs, ys := v.Cells(x), v.Cells(y)
		for _, sys := range v.Systems {
			add(s, sys, x, y, xs(sys), ys(sys), found)
		}
		if s.Count() < 2 {
			continue
		}
		f, err := s.Figure(fmt.Sprintf("%s-tradeoff-%d", id, len(out)+1))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// qualityBeside returns the retrieval measure to plot p-MRR against, on the same benchmark
// and tasks: the last one listed, which is nDCG if there is one.
func qualityBeside(columns []scores.Number, i int) (scores.Number, bool) {
	var best scores.Number
	found := false
	for _, c := range columns {
		if c.Benchmark != columns[i].Benchmark || c.Side == "" || !slices.Equal(c.Tasks, columns[i].Tasks) {
			continue
		}
		if !found || len(c.Measure) >= 4 && c.Measure[:4] == "nDCG" {
			best, found = c, true
		}
	}
	return best, found
}

// add adds a system's point with its intervals.
func add(s *chart.Scatter, sys *scores.System, x, y scores.Number, a, b scores.Cell, found contrast.Singly) {
	if a.State == scores.Unplanned && b.State == scores.Unplanned {
		return
	}
	if !a.State.Valued() || !b.State.Valued() {
		s.Left = append(s.Left, sys.Label)
		return
	}
	wide, wideText := meanRange(found, sys, x, a.Value)
	high, highText := meanRange(found, sys, y, b.Value)
	s.Add(sys.Label, sys.Kind, a.Value, b.Value, a.Entry(), b.Entry(), fmt.Sprintf("%s\n%s %s%s\n%s %s%s", sys.Label, x.Scoring(), a.Entry().Text, wideText, y.Scoring(), b.Entry().Text, highText))
	s.Spread(wide, high)
}

// meanRange returns the interval of a system's mean and its text; only the mean if it has none.
func meanRange(found contrast.Singly, s *scores.System, c scores.Number, mean float64) (chart.Range, string) {
	of := found.Of(s, c)
	if of == nil || of.Why != "" {
		return chart.Range{Low: mean, High: mean}, ""
	}
	interval := of.Estimate.Interval(contrast.Level)
	low, high, ok := interval.Get()
	if !ok {
		return chart.Range{Low: mean, High: mean}, ""
	}
	low, high = metrics.Inside(c.Measure, low, high)
	return chart.Range{Low: low, High: high}, ", 95% " + levelInterval(c.Measure, interval)
}
