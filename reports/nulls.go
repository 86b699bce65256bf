package reports

import (
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// falseAlarm is the probability that a board with sound null rows has any warning.
const falseAlarm = 0.01

// nullCheck compares one null row with its expected score.
type nullCheck struct {
	contrast.Contrast // whose difference must be 0
	rule              string
	exact             bool // for every query
}

// nullChecks lists the checks of null rows. These do not look at the query, so a changed
// instruction has no effect: p-MRR is 0 for each pair if the order is fixed, and in the
// mean if it is random. In any other measure a fixed order scores like a random one.
func nullChecks(v *scores.Set, columns []scores.Number) []nullCheck {
	var out []nullCheck
	i := slices.IndexFunc(v.Systems, func(s *scores.System) bool { return s.Kind == table.Null && s.Model == randomModel })
	for _, s := range v.Systems {
		if s.Kind != table.Null {
			continue
		}
		for _, c := range columns {
			switch {
			case metrics.IsShift(c.Measure):
				out = append(out, nullCheck{contrast.Contrast{B: s, On: c}, "0", s.Model != randomModel})
			case i >= 0 && s.Model != randomModel:
				out = append(out, nullCheck{contrast.Contrast{A: v.Systems[i], B: s, On: c}, "as " + v.Systems[i].Label, false})
			}
		}
	}
	return out
}

// randomModel is the null row with a random order.
const randomModel = "random"

// band returns half the width of the allowed range of the mean around 0: the t interval at
// a level at which all checks together fail by chance on one board in a hundred.
func (c *nullCheck) band(checks int) float64 {
	i := c.Estimate.Interval(1 - falseAlarm/float64(checks))
	return (i.High - i.Low) / 2
}

// leaves reports whether a null row is outside its range.
func (c *nullCheck) leaves(checks int) bool {
	const rounding = 1e-9
	if c.exact {
		return slices.ContainsFunc(c.Estimate.Values, func(v float64) bool { return math.Abs(v) > rounding })
	}
	return math.Abs(c.Difference) > c.band(checks)+rounding
}

// nullTable shows the null rows with their bands, and returns a warning for each row
// outside. The table is nil if there is nothing to check.
func nullTable(v *scores.Set, id string, columns []scores.Number) (t *table.Table, warnings []string) {
	checks := nullChecks(v, columns)
	var f contrast.Family
	for i := range checks {
		f.Contrasts = append(f.Contrasts, &checks[i].Contrast)
	}
	f.Test(v)
	checks = slices.DeleteFunc(checks, func(c nullCheck) bool { return c.Why != "" })
	if len(checks) == 0 {
		return nil, nil
	}
	t = &table.Table{ID: id, Title: "Null rows",
		Caption: "Systems that do not look at the query show whether numbers were altered. The band is the range of the number if nothing was altered: " +
			"by chance, any of them is outside on one board in a hundred.",
		Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "expected"}, {Name: "off by", Number: true}, {Name: "band", Number: true}, {Name: "verdict"}}}
	for i := range checks {
		c, mean := &checks[i], checks[i].Difference
		band := table.Entry{Text: "±" + words.Fixed(100*c.band(len(checks)), 1)}
		if c.exact {
			band.Text = "0 for each pair"
		}
		verdict := table.Entry{Text: "within"}
		if c.leaves(len(checks)) {
			verdict = table.Entry{Text: "outside", Tone: table.Worse}
			warnings = append(warnings, fmt.Sprintf("Warning: %s, which does not look at the query, differs by %s from its expected score in %s on %s: "+
				"a run or its judgments were altered, or the order of the documents reveals which are relevant.", c.B.Label, words.Signed(mean), c.On.Scoring(), c.On.Test()))
		}
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: []table.Entry{
			{Text: c.B.Label}, {Text: c.On.Label()}, {Text: c.rule}, table.Number(words.Signed(mean), mean), band, verdict}})
	}
	return t, warnings
}
