package chart

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"infbench/reports/table"
	"infbench/reports/words"
)

// Titled puts a heading above a drawing.
func (d *Drawing) Titled(title string) *Drawing {
	const room = 30
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

// bold is font.WeightBold of golang.org/x/image, by which gonum names fonts.
const bold = 3

// Draw sets a table as a picture: heading, shared and own column headings,
// rows, and rules as in print.
func Draw(t *table.Table) (*Drawing, error) {
	p := newPlot("", "")
	plain, strong, quiet := textStyle(p, ink.rgb(), 0, 0), textStyle(p, ink.rgb(), 0, 0), textStyle(p, Muted.rgb(), 0, 0)
	strong.Font.Weight = bold
	widths := columnWidths(t, strong)
	width := vg.Length(2 * cellMargin)
	for _, w := range widths {
		width += w
	}
	height := vg.Length(tableTop + rowHeight*(len(t.Rows)+2) + 10)
	canvas := vgsvg.New(width, height)
	c := draw.New(canvas)
	y := height - 18
	c.FillText(strong, vg.Point{X: cellMargin, Y: y}, t.Title+", ×100")
	line := func(y, weight vg.Length, colour Colour) {
		c.StrokeLine2(draw.LineStyle{Color: colour.rgb(), Width: weight}, cellMargin, y, width-cellMargin, y)
	}
	y = height - tableTop
	line(y, 1.2, ink)
	x := vg.Length(cellMargin)
	for j, col := range t.Columns {
		if col.Group != "" && (j == 0 || t.Columns[j-1].Group != col.Group) {
			c.FillText(quiet, vg.Point{X: x + cellMargin, Y: y - 15}, col.Group)
		}
		put(t, c, plain, x, y-rowHeight-15, widths[j], col.Number, col.Name)
		x += widths[j]
	}
	y -= 2*rowHeight + 1
	line(y, 0.6, ink)
	for i, r := range t.Rows {
		if i > 0 && r.Kind != t.Rows[i-1].Kind {
			line(y, 0.6, rule)
		}
		x = cellMargin
		for j, e := range r.Entries {
			style := plain
			switch {
			case e.Best:
				style = strong
			case e.Tone == table.Absent:
				style = quiet
			}
			put(t, c, style, x, y-15, widths[j], t.Columns[j].Number, e.Text)
			x += widths[j]
		}
		y -= rowHeight
	}
	line(y-2, 1.2, ink)
	return finish(canvas, int(width), int(height), t.Title)
}

// put writes a text at the left or right end of its cell.
func put(t *table.Table, c draw.Canvas, style draw.TextStyle, x, y, width vg.Length, right bool, text string) {
	if right {
		x += width - style.Width(text) - 2*cellMargin
	}
	c.FillText(style, vg.Point{X: x + cellMargin, Y: y}, text)
}

// columnWidths makes each column as wide as its widest text, and the last of
// those under a shared heading wider where the heading asks for it.
func columnWidths(t *table.Table, style draw.TextStyle) []vg.Length {
	widths := make([]vg.Length, len(t.Columns))
	for j, col := range t.Columns {
		widths[j] = style.Width(col.Name)
		for _, r := range t.Rows {
			widths[j] = max(widths[j], style.Width(r.Entries[j].Text))
		}
		widths[j] += 2 * cellMargin
	}
	for j := 0; j < len(t.Columns); {
		end, have := j, vg.Length(0)
		for end < len(t.Columns) && t.Columns[end].Group == t.Columns[j].Group {
			have += widths[end]
			end++
		}
		if want := style.Width(t.Columns[j].Group) + 2*cellMargin; want > have {
			widths[end-1] += want - have
		}
		j = end
	}
	return widths
}
