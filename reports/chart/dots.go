package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendWidth is the width of the legend on the right of a static drawing of dots.
const legendWidth = 190

// dotRadius is half a dot's width.
const dotRadius = 1.3

// roundDots turns a line of length 0 into a round dot, so that a dot takes only a few
// bytes.
const roundDots = "path{stroke-linecap:round}"

// dots draws all dots of a mark as one path.
func (p *pen) dots(m Mark) {
	at := make([]vg.Point, len(m.Data))
	for i, d := range m.Data {
		at[i] = p.at(d)
	}
	drawDots(p.Canvas, m, dotRadius, at...)
}

// drawDots draws dots in a mark's glyph and colour.
func drawDots(c draw.Canvas, m Mark, radius vg.Length, at ...vg.Point) {
	corners := map[Shape][]vg.Point{
		Diamond:  {{X: -1.3}, {Y: 1.3}, {X: 1.3}, {Y: -1.3}},
		Triangle: {{X: -1.2, Y: -0.9}, {Y: 1.3}, {X: 1.2, Y: -0.9}},
	}[m.Glyph]
	var path vg.Path
	for _, place := range at {
		if corners == nil {
			path.Move(place)
			path.Line(place)
			continue
		}
		for i, corner := range corners {
			if to := place.Add(corner.Scale(radius)); i == 0 {
				path.Move(to)
			} else {
				path.Line(to)
			}
		}
		path.Close()
	}
	if corners != nil {
		c.SetColor(m.Colour.rgb())
		c.Fill(path)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: m.Colour.rgb(), Width: 2 * radius})
	c.Stroke(path)
}

// legend draws the names of the marks of dots, one below the other.
func (f *Figure) legend(c draw.Canvas) {
	style, y := textStyle(ink, 0, -0.5), c.Max.Y-20
	for _, m := range f.Marks {
		if m.Shape != Dot {
			continue
		}
		x := c.Max.X - legendWidth + 8
		drawDots(c, m, 4, vg.Point{X: x, Y: y})
		c.FillText(style, vg.Point{X: x + 10, Y: y}, cut(m.Name, style, legendWidth-30))
		y -= 18
	}
}
