package reports

import (
	"fmt"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// familyTable lists the comparisons of one column.
func familyTable(f *contrast.Family, id string, col scores.Number, room int) *table.Table {
	t := &table.Table{ID: id,
		Title: fmt.Sprintf("%s on %s against %s", col.Scoring(), col.Test(), f.Reference),
		Columns: []table.Column{{Name: "system"}, {Name: "n", Number: true}, {Name: "difference", Number: true},
			{Name: "interval", Number: true}, {Name: "d_z", Number: true}, {Name: "p (Holm)", Number: true}, {Name: "verdict"}},
	}
	all := f.On(col)
	t.Notes = contrast.IntervalNotes(all)
	for _, c := range all {
		t.Add(room, func() table.Row { return row(c) })
		if c.Dropped > 0 && c.Why == "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: left out %s for which only one of the two systems has a value.",
				c.B.Label, words.Plural(c.Dropped, "query", "queries")))
		}
	}
	return t
}

func row(c *contrast.Contrast) table.Row {
	if c.Why != "" {
		dash := table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
		return table.Row{Kind: c.B.Kind, Entries: []table.Entry{{Text: c.B.Label}, dash, dash, dash, dash, dash, c.Entry()}}
	}
	between := c.Interval()
	return table.Row{Kind: c.B.Kind, Entries: []table.Entry{
		{Text: c.B.Label},
		number(c, table.StatCount, words.Group(c.N), float64(c.N)),
		number(c, table.StatDifference, words.Signed(c.Difference), c.Difference),
		number(c, table.StatBetween, words.Interval(between.Get()), between.Low),
		effect(c),
		number(c, table.StatHolm, words.PValue(c.Adjusted), c.Adjusted),
		c.Entry(),
	}}
}

// number returns an entry that links to the comparison c.
func number(c *contrast.Contrast, stat, text string, v float64) table.Entry {
	e := table.Number(text, v)
	e.From = c.From.As(stat)
	return e
}

// effect formats the effect size, which is undefined if the differences do not vary.
func effect(c *contrast.Contrast) table.Entry {
	v, ok := c.Estimate.Effect.Get()
	if !ok {
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	}
	return number(c, table.StatEffect, c.Estimate.Effect.Format(2), v)
}
