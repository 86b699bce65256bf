package reports

import (
	"fmt"

	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// table lists the comparisons of one column.
func familyTable(f *contrast.Family, id string, col scores.Number) *table.Table {
	t := &table.Table{ID: id,
		Title: fmt.Sprintf("%s on %s against %s", col.Scoring(), col.Test(), f.Reference),
		Columns: []table.Column{{Name: "system"}, {Name: "n", Number: true}, {Name: "difference", Number: true},
			{Name: "95% interval", Number: true}, {Name: "d_z", Number: true}, {Name: "p", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
	}
	for _, c := range f.On(col) {
		t.Rows = append(t.Rows, row(c))
		if c.Dropped > 0 && c.Why == "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: left out %s that only one of the two systems has a value for.",
				c.System, words.Plural(c.Dropped, "query", "queries")))
		}
	}
	return t
}

func row(c *contrast.Comparison) table.Row {
	verdict := table.Entry{Text: c.Verdict()}
	if c.Why != "" {
		dash := table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
		verdict.Tone = table.Absent
		return table.Row{Kind: c.Kind, Entries: []table.Entry{{Text: c.System}, dash, dash, dash, dash, dash, dash, verdict}}
	}
	switch verdict.Text {
	case "higher":
		verdict.Tone = table.Better
	case "lower":
		verdict.Tone = table.Worse
	}
	return table.Row{Kind: c.Kind, Entries: []table.Entry{
		{Text: c.System},
		number(c, table.StatCount, words.Group(c.Test.N), float64(c.Test.N)),
		number(c, table.StatDifference, words.Signed(c.Test.MeanDifference), c.Test.MeanDifference),
		number(c, table.StatBetween, words.Interval(c.Interval), c.Interval.Low),
		effect(c),
		number(c, table.StatP, words.PValue(c.Test.P), c.Test.P),
		number(c, table.StatHolm, words.PValue(c.Holm), c.Holm),
		verdict,
	}}
}

// Number is an entry that links to what c compares.
func number(c *contrast.Comparison, stat, text string, v float64) table.Entry {
	e := table.Number(text, v)
	e.From = c.From.As(stat)
	return e
}

// effect words the effect size, which is undefined where the differences do not
// vary.
func effect(c *contrast.Comparison) table.Entry {
	v, ok := c.Effect.Get()
	if !ok {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	return number(c, table.StatEffect, c.Effect.Format(2), v)
}
