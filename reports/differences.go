package reports

import (
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
)

// differenceSections draws the difference of every system from its reference, number by
// number.
func differenceSections(b *Board, o Options) ([]section.Section, error) {
	s := section.Section{ID: b.ID + "-differences", Title: "Is the difference real?", Nav: "Differences", Folded: true,
		Intro: "Every system against its reference, query by query. d_z is the mean difference in standard deviations of the differences. A verdict of “no difference shown” does not prove equality.", Notes: tuningNotes(b.Set)}
	if len(b.Families) == 0 {
		s.Notes = nil
	}
	for i, f := range b.Families {
		drawn, err := b.figures(f, fmt.Sprintf("%s-%d", b.ID, i+1), o.Room)
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, drawn...)
	}
	return []section.Section{s}, nil
}

// figures draws each column of a family that the board shows.
func (b *Board) figures(f *contrast.Family, id string, room int) ([]*chart.Figure, error) {
	var out []*chart.Figure
	for _, col := range f.Columns {
		if !b.Shows(col) {
			continue
		}
		title := col.Label()
		all := slices.DeleteFunc(f.On(col), func(c *contrast.Contrast) bool { return !c.Bounded() })
		var bars []chart.Datum
		for _, c := range chart.Largest(all, barsAtMost, func(c *contrast.Contrast) float64 { return math.Abs(words.Scaled(c.Difference)) }) {
			between := c.Interval()
			bars = append(bars, chart.Datum{Name: c.B.Label, X: words.Scaled(c.Difference), Low: words.Scaled(between.Low), High: words.Scaled(between.High), Hollow: !c.Shown(),
				Tip: fmt.Sprintf("%s\n%s %s\np (Holm) %s, n = %d", c.B.Label, words.Signed(c.Difference), words.Interval(between.Get()), words.PValue(c.Adjusted), c.N)})
		}
		fig, err := figure(title, bars, fmt.Sprintf("%s-difference-%d", id, len(out)+1), f, col, room)
		if err != nil {
			return nil, err
		}
		if len(all) > barsAtMost {
			fig.Caption += fmt.Sprintf(" The chart shows the %d largest differences of %s.", barsAtMost, words.Group(len(all)))
		}
		out = append(out, fig)
	}
	return out, nil
}

// barsAtMost is the largest number of systems in one chart.
const barsAtMost = 60

func figure(title string, bars []chart.Datum, id string, f *contrast.Family, col scores.Number, room int) (*chart.Figure, error) {
	fig := &chart.Figure{ID: id, Title: title, Open: true, Height: 70 + 26*len(bars), Table: familyTable(f, id+"-table", col, room),
		X: chart.Axis{Title: "difference ×100 from " + f.Reference, Zero: true}, Y: chart.Rows(bars), Marks: []chart.Mark{{Shape: chart.Interval, Name: title, Data: bars}},
		Caption: fmt.Sprintf("Mean difference from %s with its interval (%s). Filled: significant in the Holm-corrected test over %s; hollow: not significant.",
			differenceFrom(f.Reference, "system of the same setting"), f.IntervalWords(), words.Plural(f.Tested(), "comparison", "comparisons")),
		Alt: fmt.Sprintf("Differences of %d systems from %s in %s with intervals; the table below holds the numbers.", len(bars), f.Reference, title)}
	fig.Table.Caption = "Differences ×100. " + fmt.Sprintf("Intervals: %s. Holm over %s on %s.", f.IntervalWords(), words.Plural(f.Tested(), "comparison", "comparisons"), f.Benchmark)
	return fig.Drawn()
}
