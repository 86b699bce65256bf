package reports

import (
	"fmt"
	"math"
	"slices"

	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// nullSections hold null rows to what they must score.
func nullSections(b *Board, _ contrast.Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-checks", Title: "Null rows", Tables: section.Listed(b.nulls)}}, nil
}

// falseAlarm is the chance that a board with sound null rows warns at all.
const falseAlarm = 0.01

// nullCheck holds one null row to what it must score.
type nullCheck struct {
	s      *scores.System
	column scores.Number
	rule   string
	values []float64 // by query, of mean 0 within the band
	exact  bool      // every value must be 0
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
			case c.Measure == words.PairMeasure:
				if own := contrast.Aligned([]*scores.System{s}, c); own != nil {
					out = append(out, nullCheck{s, c, "0", own[0], s.Model != randomModel})
				}
			case i >= 0 && s.Model != randomModel:
				if both := contrast.Aligned([]*scores.System{s, v.Systems[i]}, c); both != nil {
					out = append(out, nullCheck{s, c, "as " + v.Systems[i].Label, contrast.MinusRows(both[0], both[1]), false})
				}
			}
		}
	}
	return out
}

// randomModel is the null row that draws its order.
const randomModel = "random"

// band is half of the width around 0 that the mean may take: the t interval at a
// level that all checks together break by chance in one board of a hundred.
func (c nullCheck) band(checks int) (mean, half float64, known bool) {
	return stats.MeanT(c.values, 1-falseAlarm/float64(2*checks))
}

// leaves reports whether a null row is not where it must be.
func (c nullCheck) leaves(checks int) bool {
	const rounding = 1e-9
	if c.exact {
		return slices.ContainsFunc(c.values, func(v float64) bool { return math.Abs(v) > rounding })
	}
	mean, half, known := c.band(checks)
	return known && math.Abs(mean) > half+rounding
}

// nullTable shows the null rows with their bands, and words a warning for each
// that leaves it. The table is nil where there is nothing to check.
func nullTable(v *scores.Set, id string, columns []scores.Number) (t *table.Table, warnings []string) {
	checks := nullChecks(v, columns)
	if len(checks) == 0 {
		return nil, nil
	}
	t = &table.Table{ID: id, Title: "Null rows",
		Caption: "Systems that do not look at the query show whether numbers were tampered with. The band is where the number lies if they do not: " +
			"all of them together leave it by chance on one board in a hundred.",
		Columns: []table.Column{{Name: "system"}, {Name: "number"}, {Name: "expected"}, {Name: "off by", Number: true}, {Name: "band", Number: true}, {Name: "verdict"}}}
	for _, c := range checks {
		mean, half, known := c.band(len(checks))
		band := table.Entry{Text: "±" + words.Fixed(100*half, 1)}
		switch {
		case c.exact:
			band.Text = "0 for each pair"
		case !known:
			band = table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
		}
		verdict := table.Entry{Text: "within"}
		if c.leaves(len(checks)) {
			verdict = table.Entry{Text: "outside", Tone: table.Worse}
			warnings = append(warnings, fmt.Sprintf("Warning: %s, which does not look at the query, is %s off what it must score in %s on %s: "+
				"a run or its judgments were altered, or the order of the documents tells what is relevant.", c.s.Label, words.Signed(mean), c.column.Scoring(), c.column.Test()))
		}
		t.Rows = append(t.Rows, table.Row{Kind: c.s.Kind, Entries: []table.Entry{
			{Text: c.s.Label}, {Text: c.column.Scoring() + " on " + c.column.Test()}, {Text: c.rule}, table.Number(words.Signed(mean), mean), band, verdict}})
	}
	return t, warnings
}
