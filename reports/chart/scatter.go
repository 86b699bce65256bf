package chart

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/table"
)

// Scatter plots one number of each system against another.
type Scatter struct {
	Title, X, Y string
	Log         bool   // X is in its own unit, not ×100, on a logarithmic axis
	Reading     string // how to read it
	Intervals   string // what the lines of points are; "" if there are none
	points      []scatterPoint
	Left        []string // systems without a point
	WhyLeft     string   // why they have none
}

// scatterPoint is one system, drawn and in the table.
type scatterPoint struct {
	Datum
	row table.Row
}

// Spread sets the intervals of the last point.
func (s *Scatter) Spread(x, y Range) {
	d := &s.points[len(s.points)-1].Datum
	d.Low, d.High, d.Below, d.Above = s.across(x.Low), s.across(x.High), words.Scaled(y.Low), words.Scaled(y.High)
}

// Add adds a system's point at x, y, with its entries in other tables.
func (s *Scatter) Add(name string, kind table.Kind, x, y float64, a, b table.Entry, tip string) {
	d := Datum{Name: name, X: s.across(x), Y: words.Scaled(y), Tip: tip}
	a.Sort, b.Sort = &d.X, &d.Y
	s.points = append(s.points, scatterPoint{d, table.Row{Kind: kind, Entries: []table.Entry{{Text: name}, {}, a, b}}})
}

// across returns the place of a value on the horizontal axis.
func (s *Scatter) across(x float64) float64 {
	if s.Log {
		return x
	}
	return words.Scaled(x)
}

// Count returns the number of points.
func (s *Scatter) Count() int { return len(s.points) }

// HighestFirst sorts the points; names are placed in this order.
func (s *Scatter) HighestFirst() {
	slices.SortStableFunc(s.points, func(a, b scatterPoint) int { return cmp.Compare(b.Y, a.Y) })
}

// pointsAtMost is the limit of points in one chart; the highest are kept.
const pointsAtMost = 300

// Figure draws each kind of system in its own shape and colour.
func (s *Scatter) Figure(id string) (*Figure, error) {
	points := Largest(s.points, pointsAtMost, func(p scatterPoint) float64 { return p.Y })
	f := &Figure{ID: id, Title: s.Title, Height: max(440, 260+3*len(points)), Caption: s.Reading, X: Axis{Title: s.X, Log: s.Log}, Y: Axis{Title: s.Y},
		Alt: fmt.Sprintf("Scatter of %d systems: %s; the table below holds the numbers.", len(points), s.Title)}
	f.Table = &table.Table{ID: id + "-table", Title: s.Title, Columns: []table.Column{{Name: "system"}, {Name: "no.", Number: true, Best: table.NoBest, Help: "the number in the chart where the name has no room"}, {Name: s.X, Number: true}, {Name: s.Y, Number: true}}}
	kinds := []table.Kind{table.Trained, table.Baseline, table.Null}
	f.Marks = []Mark{{Shape: Circle}, {Shape: Diamond, Colour: Series[1]}, {Shape: Triangle, Colour: Muted}}
	crosses := Mark{Shape: Cross, Name: "intervals", Colour: grey}
	for i, p := range points {
		p.Row = i + 1
		p.row.Entries[1] = table.Number(fmt.Sprint(p.Row), float64(p.Row))
		m := &f.Marks[slices.Index(kinds, p.row.Kind)]
		m.Name, m.Data = string(p.row.Kind), append(m.Data, p.Datum)
		f.Table.Rows = append(f.Table.Rows, p.row)
		if p.Low < p.High || p.Below < p.Above {
			crosses.Data = append(crosses.Data, Datum{X: p.X, Y: p.Y, Low: p.Low, High: p.High, Below: p.Below, Above: p.Above})
		}
	}
	f.Marks = append([]Mark{crosses}, f.Marks...)
	f.Caption += " A point whose name has no room has its number in the table."
	if len(crosses.Data) > 0 {
		f.Caption += " " + s.Intervals
	}
	if len(points) < len(s.points) {
		f.Caption += fmt.Sprintf(" The %d highest of %s points are shown.", len(points), words.Group(len(s.points)))
	}
	for _, name := range s.Left {
		f.Table.Notes = append(f.Table.Notes, name+" has no point: "+s.WhyLeft+".")
	}
	return f.Drawn()
}

// Largest returns the n items with the largest keys, in their original order.
func Largest[T any](all []T, n int, key func(T) float64) []T {
	if len(all) <= n {
		return all
	}
	keys := make([]float64, len(all))
	for i, item := range all {
		keys[i] = key(item)
	}
	slices.Sort(keys)
	var kept []T
	for _, item := range all {
		if key(item) >= keys[len(keys)-n] && len(kept) < n {
			kept = append(kept, item)
		}
	}
	return kept
}
