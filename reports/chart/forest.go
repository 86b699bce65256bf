package chart

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/table"
)

// Estimate is a row of a forest plot: a mean with its interval, as printed (×100).
type Estimate struct {
	Name             string
	Kind             table.Kind
	Value, Low, High float64
	Failed           string // the failed part of a control, in a few words; "" if nothing failed
	Tip              string
}

// Forest draws estimates one below the other, sorted by the given direction with the best
// first. Equal ones keep their order, and all do if best is NoBest. Trained systems are
// filled and others hollow. Systems whose control failed are red, and their names state
// the failure. x titles the axis with its unit; interval names the kind of interval. The
// figure is not Drawn yet.
func Forest(id, title, x, interval string, best table.Best, rows []Estimate) *Figure {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Estimate) int {
		switch {
		case best.Better(a.Value, b.Value):
			return -1
		case best.Better(b.Value, a.Value):
			return 1
		}
		return 0
	})
	f := &Figure{ID: id, Title: title, X: Axis{Title: x}, Height: 60 + 24*len(rows), Marks: forestMarks(rows),
		Caption: fmt.Sprintf("Lines are %s. Filled: trained here; hollow: not.", interval),
		Alt:     fmt.Sprintf("Forest plot of %d systems: %s, with %s; the table holds the numbers.", len(rows), title, interval)}
	data := make([]Datum, len(rows))
	for i, r := range rows {
		f.Y.Names = append(f.Y.Names, r.label())
		data[i] = Datum{Name: r.label(), X: r.Value, Low: r.Low, High: r.High}
	}
	if slices.ContainsFunc(rows, func(r Estimate) bool { return r.Failed != "" }) {
		f.Caption += " Red: a control failed."
	}
	f.Table = IntervalTable(id+"-table", title, [4]string{"system", x, "from", "to"}, data)
	return f
}

// label returns the name of a row with its failure, if any.
func (e Estimate) label() string {
	if e.Failed == "" {
		return e.Name
	}
	return fmt.Sprintf("%s: %s", e.Name, e.Failed)
}

// forestMarks sorts rows into marks by their colour.
func forestMarks(rows []Estimate) []Mark {
	marks := []Mark{{Shape: Interval, Name: string(table.Trained)}, {Shape: Interval, Name: string(table.Baseline), Colour: Series[1]},
		{Shape: Interval, Name: string(table.Null), Colour: Muted}, {Shape: Interval, Name: "control failed", Colour: Failed}}
	kinds := []table.Kind{table.Trained, table.Baseline, table.Null}
	for i, r := range rows {
		d := Datum{Name: r.label(), X: r.Value, Y: float64(i), Low: r.Low, High: r.High, Hollow: r.Kind != table.Trained, Tip: r.Tip}
		if d.Tip == "" {
			d.Tip = fmt.Sprintf("%s\n%s [%s, %s]", d.Name, words.Fixed(r.Value, 1), words.Fixed(r.Low, 1), words.Fixed(r.High, 1))
		}
		m := &marks[max(0, slices.Index(kinds, r.Kind))]
		if r.Failed != "" {
			m = &marks[len(marks)-1]
		}
		m.Data = append(m.Data, d)
	}
	return marks
}
