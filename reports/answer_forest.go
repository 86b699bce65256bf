package reports

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// rowsAtMost limits the plot to the best systems of a board.
const rowsAtMost = 24

// forest plots the systems of a board by the first number that ranks them, best first, each by
// its difference from the leader. It returns nil if no number ranks them.
func (b *answerBoard) forest() (*chart.Figure, error) {
	all := b.leads()
	if len(all) == 0 {
		return nil, nil
	}
	l := all[0]
	r := b.Rankings[slices.IndexFunc(b.Numbers, l.on.Same)]
	shown := r.Ranked()
	left := max(0, len(shown)-rowsAtMost)
	shown = shown[:len(shown)-left]
	title, from := l.on.Label(), l.Best.Label
	if utf8.RuneCountInString(from) > 24 {
		from = "the leader" // whom the caption names
	}
	f := &chart.Figure{ID: b.ID + "-forest", Title: title, Open: true,
		X:   chart.Axis{Title: "difference ×100 from " + from, Zero: true},
		Alt: fmt.Sprintf("Differences of %d systems from %s in %s, with intervals, best first; the table next to it has the numbers.", len(shown), l.Best.Label, title),
		Caption: fmt.Sprintf("The difference of every system from %s, the leader, with simultaneous intervals (95%% for all %s of the column). Filled: shown to differ; hollow: not shown. Red: fails a control.",
			l.Best.Label, words.Plural(r.Pairs, "pair", "pairs"))}
	if left > 0 {
		f.Caption += fmt.Sprintf(" The best %d of %d are shown.", len(shown), len(shown)+left)
	}
	rows := b.rows(l, shown)
	for _, row := range rows {
		if row.from != nil && row.from.Why == "" && row.from.Family() != r.Family() {
			f.Caption += fmt.Sprintf(" That of %s is one of the %s.", row.system.Label, row.from.Family())
		}
	}
	f.Table, f.Height = forestTable(f.ID+"-table", title, l, rows), 64+24*len(rows)
	f.Marks = forestMarks(rows)
	for _, row := range rows {
		f.Y.Names = append(f.Y.Names, row.system.Label)
	}
	return f.Drawn()
}

// forestRow is a system of the plot.
type forestRow struct {
	system *scores.System
	value  table.Entry
	from   *contrast.Contrast // from the leader; nil of itself
	failed bool
}

// rows compare systems with the leader.
func (b *answerBoard) rows(l boardLead, shown []*scores.System) []forestRow {
	var out []forestRow
	for _, s := range shown {
		one := forestRow{system: s, value: b.Set.Cell(s, l.on).Entry(), failed: slices.Contains(b.Failed, s.Label)}
		if s != l.Best {
			one.from = b.Pairs.Of(l.on, l.Best, s)
		}
		out = append(out, one)
	}
	return out
}

// forestMarks draws the rows, coloured by whether a system could be the best, is behind, or
// fails a control.
func forestMarks(rows []forestRow) []chart.Mark {
	level := chart.Mark{Shape: chart.Interval, Name: "may be best", Colour: chart.Series[0]}
	behind := chart.Mark{Shape: chart.Interval, Name: "shown to differ from the leader", Colour: chart.Muted}
	failed := chart.Mark{Shape: chart.Interval, Name: "fails a control", Colour: chart.Series[1]}
	for i, r := range rows {
		d, ok := r.datum(float64(i))
		switch {
		case !ok:
		case r.failed:
			failed.Data = append(failed.Data, d)
		case r.from != nil && r.from.Shown():
			behind.Data = append(behind.Data, d)
		default:
			level.Data = append(level.Data, d)
		}
	}
	return []chart.Mark{level, behind, failed}
}

// datum returns the point of a row; ok is false if it was not tested.
func (r forestRow) datum(y float64) (d chart.Datum, ok bool) {
	d = chart.Datum{Name: r.system.Label, Y: y, Tip: r.system.Label + "\n" + r.value.Text}
	if r.from == nil {
		return d, true
	}
	low, high, ok := r.from.Interval().Get()
	if r.from.Why != "" || !ok {
		return d, false
	}
	d.X, d.Low, d.High, d.Hollow = words.Scaled(r.from.Difference), words.Scaled(low), words.Scaled(high), !r.from.Shown()
	d.Tip += fmt.Sprintf("\n%s %s\np (Holm) %s, n = %d", words.Signed(r.from.Difference), words.Interval(r.from.Interval().Get()), words.PValue(r.from.Adjusted), r.from.N)
	return d, true
}

// forestTable has the numbers of the plot.
func forestTable(id, title string, l boardLead, rows []forestRow) *table.Table {
	t := &table.Table{ID: id, Title: title, Columns: []table.Column{{Name: "system"}, {Name: l.on.Scoring(), Number: true, Best: table.NoBest},
		{Name: "from " + l.Best.Label, Number: true, Best: table.NoBest}, {Name: "verdict"}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, table.Row{Kind: r.system.Kind, Entries: []table.Entry{{Text: r.system.Label}, r.value, r.difference(), r.verdict()}})
	}
	return t
}

// difference is the difference between a system and the leader.
func (r forestRow) difference() table.Entry {
	if r.from == nil || r.from.Why != "" {
		return table.Entry{}
	}
	return table.Number(words.Signed(r.from.Difference)+" "+words.Interval(r.from.Interval().Get()), r.from.Difference)
}

// verdict reports whether a system could be the best and whether it fails a control.
func (r forestRow) verdict() table.Entry {
	var e table.Entry
	switch {
	case r.from == nil:
		e.Text = "leader"
	case r.from.Why != "":
		e = table.Entry{Text: "not tested", Tone: table.Absent}
	default:
		e.Text = string(r.from.Judged())
		if r.from.ByHolmAlone() {
			e.Text += ", " + contrast.HolmAlone
		}
	}
	if r.failed {
		e.Text, e.Tone = e.Text+", fails a control", table.Worse
	}
	return e
}
