// Package chart draws charts. A Figure is a value: two axes and the marks between them.
// Two drivers show it: option.go for ECharts and draw.go for static SVG. Only they import
// go-echarts and gonum/plot. The package does not know what a chart is about.
package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/table"
)

// Figure is a chart with the table of its numbers.
type Figure struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string
	Alt     string // description of the drawing for readers who cannot see it
	Height  int    // CSS pixels of the interactive chart
	X, Y    Axis
	Marks   []Mark // later ones cover earlier ones
	Table   *table.Table
	Open    bool // do not fold the table: it is as important as the chart

	// Set by Drawn; nil if no mark has data.
	Option  map[string]any
	Drawing *Drawing
}

// Axis is one direction of a figure: a number line or, with Names, the positions 0, 1, 2,
// ..., from left to right and from top to bottom.
type Axis struct {
	Title string
	Names []string
	Zero  bool  // include 0 in the number line
	Holds Range // range to include as well; figures with the same range can be compared
	Log   bool  // logarithmic number line; all values are positive
}

// Shape is the way a mark shows its data.
type Shape string

// The first three are points, with their names next to them, or their rows if names have no room.
const (
	Circle   Shape = "circle"
	Diamond  Shape = "diamond"
	Triangle Shape = "triangle"
	Line     Shape = "line"     // connects the data; the mark's name is at its end
	Interval Shape = "interval" // a point on a line from Low to High along x
	Bar      Shape = "bar"      // a bar along x, from 0
	Cell     Shape = "cell"     // a coloured field at a place, with its name inside
	Label    Shape = "label"    // a name alone
	Cross    Shape = "cross"    // thin lines from Low to High along x and from Below to Above along y, behind points
	Dot      Shape = "dot"      // one of thousands of points; the mark's name is in a legend
)

// Mark is a set of data drawn with one shape.
type Mark struct {
	Shape  Shape
	Name   string
	Colour Colour // colour of points, lines and intervals; default the first of Series, for bars a light one
	Dashed bool   // lines only
	Faint  bool   // lines only: grey and behind the others, named only by the tooltip
	Glyph  Shape  // dots only: Circle (default), Diamond or Triangle
	Data   []Datum
}

// Datum is one item of a mark.
type Datum struct {
	Name         string
	X, Y         float64 // place
	Low, High    float64 // intervals and crosses only
	Below, Above float64 // crosses only
	Value        float64 // cells only: the step of its colour, from -Steps (far worse) to Steps (far better)
	Hollow       bool    // intervals only: draw the point as a ring
	Row          int     // points only: the number in its table that stands for a name without room; 0 for none
	Tip          string  // text of the tooltip
}

// Drawn makes both forms of a figure. It leaves out marks without data. It returns an
// error for numbers that are not finite and for places that an axis has no name for.
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
			if !f.X.holds(d.X) || !f.Y.holds(d.Y) || !words.Finite(d.Low) || !words.Finite(d.High) || !words.Finite(d.Below) || !words.Finite(d.Above) || !(math.Abs(d.Value) <= Steps) {
				return nil, fmt.Errorf("chart %s: %s %q is outside its axes: %+v", f.ID, m.Shape, cmp.Or(d.Name, m.Name), *d)
			}
		}
	}
	f.shorten()
	if n := len(f.Y.Names); n > 0 && !f.X.named() {
		_, lines, _ := wrappedAll(f.Y.Names, labelWidth)
		f.Height = max(f.Height, 60+n*max(20, rowOf(lines)-4)+lineHeight*strings.Count(f.X.Title, "\n"))
	}
	f.Option = f.option()
	unnamed, err := f.draw()
	if unnamed > 0 {
		f.Caption += " Labels that would overlap are left out; the table lists all."
	}
	return f, err
}

// shorten shortens the names that are drawn. The tooltips and the table have them in full.
func (f *Figure) shorten() {
	style := textStyle(Muted, 0, 0)
	f.Y.Names = shortened(f.Y.Names, style, nameWidth)
	f.X.Names = shortened(f.X.Names, style, nameWidth)
	if _, _, widest := wrappedAll(f.Y.Names, labelWidth); f.Y.named() && !f.X.named() && widest > 2*labelWidth/3 {
		f.X.Title = wrapped(fitted(f.X.Title, style, 2*titleWidth), style, titleWidth) // little room is left
	}
	var names []string
	for _, m := range f.Marks {
		for _, d := range m.Data {
			if m.isPoint() {
				names = append(names, d.Name)
			}
		}
	}
	names = shortened(names, style, labelWidth)
	for i := range f.Marks {
		for j := range f.Marks[i].Data {
			if f.Marks[i].isPoint() {
				f.Marks[i].Data[j].Name, names = names[0], names[1:]
			}
		}
	}
}

// holds reports whether an axis has that place.
func (a Axis) holds(v float64) bool {
	return words.Finite(v) && (!a.Log || v > 0) && (!a.named() || v >= 0 && v < float64(len(a.Names)) && v == float64(int(v)))
}

func (a Axis) named() bool { return len(a.Names) > 0 }

func (f *Figure) has(s Shape) bool {
	return slices.ContainsFunc(f.Marks, func(m Mark) bool { return m.Shape == s })
}

// layout is the space around and in drawings.
type layout struct {
	left, right, top, bottom string  // interactive chart: margins around the plotting area
	xGap, yGap               int     // interactive chart: from an axis to its title
	width, height            int     // static drawing: CSS pixels
	low, high, y             float64 // static drawing: extension of x (low, high) and y, as shares or places
}

func (f *Figure) layout() layout {
	switch columns, rows := len(f.X.Names), len(f.Y.Names); {
	case columns > 0 && rows > 0: // the colour scale is below
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
	case rows > 0: // the chart is next to a table or another chart
		_, lines, widest := wrappedAll(f.Y.Names, labelWidth)
		left := fmt.Sprint(max(16, 8+int(widest/6))) // the page's font may be wider than the drawing's
		title := lineHeight * strings.Count(f.X.Title, "\n")
		return layout{left, "20", "8", fmt.Sprint(36 + title), 28 + title/2, 0, 420, 60 + rowOf(lines)*rows + title, .05, .05, .6}
	case f.has(Dot): // the legend is above, or on the right in the static drawing
		return layout{"56", "28", "64", "48", 30, 38, 720 + legendWidth, f.Height, .03, .03, .03}
	case f.has(Line): // the names of the lines are on the right
		return layout{"56", "110", "16", "44", 28, 40, 720, f.Height, 0, .24, .04}
	}
	return layout{"56", "28", "16", "48", 30, 38, 720, f.Height, .1, .1, .08}
}

// columnWidth is the width of a column of cells in the static drawing.
const columnWidth = 96

// rowOf returns the height of a row whose name has at most that many lines.
func rowOf(lines int) int { return max(24, lineHeight*lines+8) }

// Rows places data one below the other and returns the y axis with their names.
func Rows(data []Datum) (y Axis) {
	for i := range data {
		data[i].Y = float64(i)
		y.Names = append(y.Names, data[i].Name)
	}
	return y
}

// IntervalTable returns a table of intervals with the headings name, value and both ends.
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
