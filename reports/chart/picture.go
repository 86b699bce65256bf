package chart

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"infbench/internal/words"
	"infbench/reports/table"
)

// headingRoom is the height of a heading in CSS pixels.
const headingRoom = 30

// Titled adds a heading above a drawing.
func (d *Drawing) Titled(title string) *Drawing {
	const room = headingRoom
	var out bytes.Buffer
	out.WriteString(svgStart(d.Width, d.Height+room, title))
	fmt.Fprintf(&out, `<style>.heading{font:600 13px Helvetica,Arial,sans-serif;fill:#%06x}@media (prefers-color-scheme:dark){.heading{fill:#%06x}}</style>`, ink.light, ink.dark)
	fmt.Fprintf(&out, `<text class="heading" x="4" y="18">%s</text>`, html.EscapeString(words.Clean(title)))
	out.WriteString(strings.Replace(string(d.SVG), "<svg ", fmt.Sprintf(`<svg y="%d" `, room), 1))
	out.WriteString("</svg>\n")
	return &Drawing{out.Bytes(), d.Width, d.Height + room}
}

// Sizes of a drawn table in CSS pixels.
const (
	rowHeight  = 22
	cellMargin = 9
	tableTop   = 34
)

// bold is font.WeightBold of golang.org/x/image; gonum names fonts by it.
const bold = 3

// Draw draws a table: heading, shared and own column headings, rows, and rules as in
// print.
func Draw(t *table.Table) (*Picture, error) {
	strong := textStyle(ink, 0, 0)
	strong.Font.Weight = bold
	edges := columnEdges(t, strong)
	width, height := edges[len(t.Columns)]+cellMargin, vg.Length(tableTop+rowHeight*(len(t.Rows)+2)+10)
	canvas := vgsvg.New(width, height)
	paint := func(c draw.Canvas) { paintTable(c, t, edges) }
	paint(draw.New(canvas))
	drawing, err := finish(canvas, int(width), int(height), t.Title, "")
	return &Picture{drawing, paint}, err
}

// paintTable draws a table whose columns have these edges.
func paintTable(c draw.Canvas, t *table.Table, edges []vg.Length) {
	plain, quiet := textStyle(ink, 0, 0), textStyle(Muted, 0, 0)
	strong := plain
	strong.Font.Weight = bold
	width, height := edges[len(t.Columns)]+cellMargin, c.Max.Y
	line := func(y, weight vg.Length, colour Colour) {
		c.StrokeLine2(draw.LineStyle{Color: colour.rgb(), Width: weight}, cellMargin, y, width-cellMargin, y)
	}
	put := func(style draw.TextStyle, j int, y vg.Length, text string) {
		x := edges[j] + cellMargin
		if t.Columns[j].Number {
			x = edges[j+1] - cellMargin - style.Width(text)
		}
		c.FillText(style, vg.Point{X: x, Y: y}, text)
	}
	c.FillText(strong, vg.Point{X: cellMargin, Y: height - 18}, t.Title+", ×100")
	y := height - tableTop
	line(y, 1.2, ink)
	for j, col := range t.Columns {
		if col.Group != "" && (j == 0 || t.Columns[j-1].Group != col.Group) {
			c.FillText(quiet, vg.Point{X: edges[j] + cellMargin, Y: y - 15}, col.Group)
		}
		put(plain, j, y-rowHeight-15, col.Name)
	}
	y -= 2*rowHeight + 1
	line(y, 0.6, ink)
	for i, r := range t.Rows {
		if i > 0 && r.Kind != t.Rows[i-1].Kind {
			line(y, 0.6, rule)
		}
		for j, e := range r.Entries {
			style := plain
			switch {
			case e.Best:
				style = strong
			case e.Tone == table.Absent:
				style = quiet
			}
			put(style, j, y-15, e.Text)
		}
		y -= rowHeight
	}
	line(y-2, 1.2, ink)
}

// columnEdges returns the column edges. Each column is as wide as its widest text; the
// last one under a shared heading is wider if the heading needs it.
func columnEdges(t *table.Table, style draw.TextStyle) []vg.Length {
	edges, group := []vg.Length{cellMargin}, 0 // group is the first column of its heading
	for j, col := range t.Columns {
		width := style.Width(col.Name)
		for _, r := range t.Rows {
			width = max(width, style.Width(r.Entries[j].Text))
		}
		edge := edges[j] + width + 2*cellMargin
		if t.Columns[group].Group != col.Group {
			group = j
		}
		if j+1 == len(t.Columns) || t.Columns[j+1].Group != col.Group {
			edge = max(edge, edges[group]+style.Width(col.Group)+2*cellMargin)
		}
		edges = append(edges, edge)
	}
	return edges
}
