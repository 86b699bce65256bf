// Package chart draws. A Figure is a value: two axes and the marks between them. Two
// drivers show it, option.go for ECharts and draw.go as static SVG; only they import
// go-echarts and gonum/plot. The package does not know what a chart is about.
package chart

import (
	"cmp"
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/reports/table"
)

// Figure is a chart with the table of its numbers.
type Figure struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string
	Alt     string // what the drawing shows, for readers who do not see it
	Height  int    // CSS pixels of the interactive chart
	X, Y    Axis
	Marks   []Mark // later ones cover earlier ones
	Table   *table.Table
	Open    bool // the table is read as much as the chart: do not fold it away

	// Filled in by Drawn, nil where no mark has data.
	Option  map[string]any
	Drawing *Drawing
}

// Axis is one direction of a figure: a line of numbers or, with names, the places
// 0, 1, 2, ..., from left to right and from top to bottom.
type Axis struct {
	Title string
	Names []string
	Zero  bool  // the line of numbers holds 0
	Holds Range // what the line of numbers holds besides; figures that share it compare
	Log   bool  // the line of numbers, all above 0, is one of their logarithms
}

// Shape is how a mark shows its data.
type Shape string

// The first three are points, named beside where there is room.
const (
	Circle   Shape = "circle"
	Diamond  Shape = "diamond"
	Triangle Shape = "triangle"
	Line     Shape = "line"     // from datum to datum, the mark's name at its end
	Interval Shape = "interval" // a point on a line from Low to High along x
	Bar      Shape = "bar"      // a bar along x, from 0
	Cell     Shape = "cell"     // the field of a place, coloured by Value, its name inside
	Label    Shape = "label"    // a name alone
	Dot      Shape = "dot"      // one of thousands of points, the mark's name in a legend
)

// Mark is data of one shape.
type Mark struct {
	Shape  Shape
	Name   string
	Colour Colour // of points, lines and intervals; the first of Series unless set, of bars a light one
	Dashed bool   // of lines
	Faint  bool   // of lines: grey and behind the others, named by the tooltip only
	Glyph  Shape  // of dots: Circle, Diamond or Triangle; Circle unless set
	Scale  Range  // of cells: the values that the colours span
	Data   []Datum
}

// Datum is one thing that a mark shows.
type Datum struct {
	Name      string
	X, Y      float64 // place
	Low, High float64 // of intervals
	Value     float64 // of cells
	Hollow    bool    // the point of an interval is a ring
	Tip       string  // what a reader who points at it is told
}

// Drawn makes both forms of a figure. Marks without data are left out; numbers
// that are not finite, and places that an axis has no name for, are errors.
func (f *Figure) Drawn() (*Figure, error) {
	f.Marks = slices.DeleteFunc(f.Marks, func(m Mark) bool { return len(m.Data) == 0 })
	if len(f.Marks) == 0 {
		return f, nil
	}
	f.X.Names, f.Y.Names = words.CleanAll(f.X.Names), words.CleanAll(f.Y.Names)
	for i := range f.Marks {
		m := &f.Marks[i]
		if m.Shape == Bar {
			m.Colour = cmp.Or(m.Colour, pos)
		}
		if m.Faint {
			m.Colour = grey
		}
		m.Name, m.Colour, m.Glyph = words.Clean(m.Name), cmp.Or(m.Colour, Series[0]), cmp.Or(m.Glyph, Circle)
		for j := range m.Data {
			d := &m.Data[j]
			d.Name = words.Clean(d.Name)
			if !f.X.holds(d.X) || !f.Y.holds(d.Y) || !words.Finite(d.Low) || !words.Finite(d.High) || !words.Finite(d.Value) {
				return nil, fmt.Errorf("chart %s: %s %q has no place in it: %+v", f.ID, m.Shape, cmp.Or(d.Name, m.Name), *d)
			}
		}
	}
	if n := len(f.Y.Names); n > 0 && !f.X.named() {
		_, lines, _ := wrappedAll(f.Y.Names, labelWidth)
		f.Height = max(f.Height, 60+n*max(20, rowOf(lines)-4))
	}
	f.Option = f.option()
	unnamed, err := f.draw()
	if unnamed > 0 {
		f.Caption += " A name that would cover others is left out; the table has all."
	}
	return f, err
}

// holds reports whether an axis has that place.
func (a Axis) holds(v float64) bool {
	return words.Finite(v) && (!a.Log || v > 0) && (!a.named() || v >= 0 && v < float64(len(a.Names)) && v == float64(int(v)))
}

func (a Axis) named() bool { return len(a.Names) > 0 }

func (f *Figure) has(s Shape) bool {
	return slices.ContainsFunc(f.Marks, func(m Mark) bool { return m.Shape == s })
}

// layout is the room that drawings have.
type layout struct {
	left, right, top, bottom string  // of the interactive chart, around its plane
	xGap, yGap               int     // there, from an axis to its title
	width, height            int     // of the static drawing, CSS pixels
	low, high, beside        float64 // there, what x and y are widened by: shares, or places
}

func (f *Figure) layout() layout {
	switch columns, rows := len(f.X.Names), len(f.Y.Names); {
	case columns > 0 && rows > 0: // below is the scale
		_, above, _ := wrappedAll(f.X.Names, columnWidth)
		_, _, names := wrappedAll(f.Y.Names, labelWidth)
		room := layout{"8", "8", "8", fmt.Sprint(scaleHeight), 12 + lineHeight*above, int(names) + 20, columnWidth*columns + 40 + int(names), 30 + lineHeight*above + scaleHeight + 44*rows, .5, .5, .5}
		if f.Y.Title != "" {
			room.left = "26"
		}
		if f.X.Title != "" {
			room.bottom = fmt.Sprint(scaleHeight + 18)
		}
		return room
	case rows > 0: // it stands beside a table, or beside another
		_, lines, _ := wrappedAll(f.Y.Names, labelWidth)
		return layout{"16", "20", "8", "36", 28, 0, 420, 60 + rowOf(lines)*rows, .05, .05, .6}
	case f.has(Dot): // above is the legend; beside the static drawing too
		return layout{"56", "28", "64", "48", 30, 38, 720 + legendWidth, f.Height, .03, .03, .03}
	case f.has(Line): // on the right are their names
		return layout{"56", "110", "16", "44", 28, 40, 720, f.Height, 0, .24, .04}
	}
	return layout{"56", "28", "16", "48", 30, 38, 720, f.Height, .1, .1, .08}
}

// columnWidth is that of a column of cells in the static drawing.
const columnWidth = 96

// rowOf is the height of rows whose names have that many lines at most.
func rowOf(lines int) int { return max(24, lineHeight*lines+8) }

// Rows places data one below the other, each named on the y axis.
func Rows(data []Datum) (y Axis) {
	for i := range data {
		data[i].Y = float64(i)
		y.Names = append(y.Names, data[i].Name)
	}
	return y
}

// IntervalTable has the numbers of intervals, under heads of names, values and both ends.
func IntervalTable(id, title string, heads [4]string, data []Datum) *table.Table {
	t := &table.Table{ID: id, Title: title, Columns: []table.Column{{Name: heads[0]}}}
	for _, head := range heads[1:] {
		t.Columns = append(t.Columns, table.Column{Name: head, Number: true, Best: table.NoBest})
	}
	for _, d := range data {
		row := table.Row{Entries: []table.Entry{{Text: d.Name}}}
		for _, v := range []float64{d.X, d.Low, d.High} {
			row.Entries = append(row.Entries, table.Number(words.Fixed(v, 2), v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
