package reports

import (
	"fmt"
	"math"
	"slices"

	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// figures draws each column of a family.
func figures(f *contrast.Family, id string) ([]*chart.Figure, error) {
	var out []*chart.Figure
	for _, col := range f.Columns {
		left := 0
		d := &chart.Differences{Title: col.Scoring() + " on " + col.Test(), X: "difference ×100 from " + f.Reference}
		for _, c := range f.On(col) {
			low, high, ok := c.Interval.Get()
			if c.Why != "" || !ok {
				continue
			}
			d.Bars = append(d.Bars, chart.Bar{Name: c.B.Label, Mean: words.Scaled(c.Difference), Low: words.Scaled(low), High: words.Scaled(high),
				Shown: c.Shown(),
				Tip: fmt.Sprintf("%s\n%s %s\np (Holm) %s, n = %d", c.B.Label, words.Signed(c.Difference), words.Interval(c.Interval), words.PValue(c.Adjusted), c.N)})
		}
		d.Bars, left = largestBars(d.Bars)
		fig, err := figure(d, fmt.Sprintf("%s-difference-%d", id, len(out)+1), f, col)
		if err != nil {
			return nil, err
		}
		if left > 0 {
			fig.Caption += fmt.Sprintf(" The chart shows the %d largest differences of %s.", barsAtMost, words.Group(barsAtMost+left))
		}
		if f.Tested() > 0 && f.Method == contrast.TWords {
			fig.Table.Caption += " So many comparisons are tested by " + contrast.TWords + "."
		}
		out = append(out, fig)
	}
	return out, nil
}

// barsAtMost is how many systems one chart compares.
const barsAtMost = 60

// largestBars keeps the bars of the largest differences, in their order, and
// counts the others.
func largestBars(bars []chart.Bar) (kept []chart.Bar, left int) {
	if len(bars) <= barsAtMost {
		return bars, 0
	}
	sizes := make([]float64, len(bars))
	for i, b := range bars {
		sizes[i] = math.Abs(b.Mean)
	}
	slices.Sort(sizes)
	least := sizes[len(sizes)-barsAtMost]
	for _, b := range bars {
		if math.Abs(b.Mean) >= least && len(kept) < barsAtMost {
			kept = append(kept, b)
		}
	}
	return kept, len(bars) - len(kept)
}

func figure(d *chart.Differences, id string, f *contrast.Family, col scores.Number) (*chart.Figure, error) {
	fig := &chart.Figure{ID: id, Title: d.Title, Open: true, Height: 70 + 26*len(d.Bars), Table: familyTable(f, id+"-table", col),
		Caption: fmt.Sprintf("Mean difference from the %s system of the same setting with its 95%% interval. Filled: the Holm-corrected test over %s calls it a difference; hollow: it does not.",
			f.Reference, words.Plural(f.Tested(), "comparison", "comparisons"))}
	fig.Table.Caption = "Differences ×100. " + fmt.Sprintf("Holm over %s on %s.", words.Plural(f.Tested(), "comparison", "comparisons"), f.Benchmark)
	fig.Alt = fmt.Sprintf("Differences of %d systems from %s in %s with intervals; the table below holds the numbers.", len(d.Bars), f.Reference, d.Title)
	if len(d.Bars) == 0 {
		return fig, nil
	}
	var err error
	if fig.Option, err = d.Option(fig.Alt); err != nil {
		return nil, err
	}
	fig.Drawing, err = d.Draw(fig.Alt)
	return fig, err
}
