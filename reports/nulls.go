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

// falseAlarm is the chance that a board with sound null rows warns at all.
const falseAlarm = 0.01

// nullCheck holds one null row to what it must score.
type nullCheck struct {
	contrast.Contrast // of which the difference must be 0
	rule              string
	exact             bool // for every query
}

// nullChecks lists what null rows must fulfil. They do not look at the query, so
// a changed instruction changes nothing: p-MRR is 0 for each pair where the order
// is fixed, and in the mean where it is drawn. In any other measure a fixed order
// scores as a random one does.
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

// randomModel is the null row that draws its order.
const randomModel = "random"

// band is half of the width around 0 that the mean may take: the t interval at a
// level that all checks together break by chance in one board of a hundred.
func (c *nullCheck) band(checks int) float64 {
	i := c.Estimate.Interval(1 - falseAlarm/float64(checks))
	return (i.High - i.Low) / 2
}

// leaves reports whether a null row is not where it must be.
func (c *nullCheck) leaves(checks int) bool {
	const rounding = 1e-9
	if c.exact {
		return slices.ContainsFunc(c.Estimate.Values, func(v float64) bool { return math.Abs(v) > rounding })
	}
	return math.Abs(c.Difference) > c.band(checks)+rounding
}

// nullTable shows the null rows with their bands, and words a warning for each
// that leaves it. The table is nil where there is nothing to check.
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
		Caption: "Systems that do not look at the query show whether numbers were tampered with. The band is where the number lies if they do not: " +
			"all of them together leave it by chance on one board in a hundred.",
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
			warnings = append(warnings, fmt.Sprintf("Warning: %s, which does not look at the query, is %s off what it must score in %s on %s: "+
				"a run or its judgments were altered, or the order of the documents tells what is relevant.", c.B.Label, words.Signed(mean), c.On.Scoring(), c.On.Test()))
		}
		t.Rows = append(t.Rows, table.Row{Kind: c.B.Kind, Entries: []table.Entry{
			{Text: c.B.Label}, {Text: c.On.Scoring() + " on " + c.On.Test()}, {Text: c.rule}, table.Number(words.Signed(mean), mean), band, verdict}})
	}
	return t, warnings
}
