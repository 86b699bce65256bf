package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// draw makes the static drawing. It returns the number of points whose names have no room.
func (f *Figure) draw() (unnamed int, err error) {
	room := f.layout()
	canvas, css := vgsvg.New(vg.Length(room.width), vg.Length(room.height)), ""
	switch {
	case f.has(Dot):
		css = roundDots
	case f.has(Cross):
		css = haloes
	}
	unnamed = f.paint(draw.New(canvas))
	f.Drawing, err = finish(canvas, room.width, room.height, f.Alt, css)
	return unnamed, err
}

// paint draws the figure on a canvas of its size. It returns the number of points whose names have no
// room.
func (f *Figure) paint(whole draw.Canvas) (unnamed int) {
	p, room := newPlot(f.X.Title, f.Y.Title), f.layout()
	var xs, ys []float64
	if f.X.Holds != (Range{}) {
		xs = append(xs, f.X.Holds.Low, f.X.Holds.High)
	}
	if f.Y.Holds != (Range{}) {
		ys = append(ys, f.Y.Holds.Low, f.Y.Holds.High)
	}
	for _, m := range f.Marks {
		for _, d := range m.Data {
			xs, ys = append(xs, d.X), append(ys, d.Y)
			if m.Shape == Interval || m.Shape == Cross {
				xs = append(xs, d.Low, d.High)
			}
			if m.Shape == Cross {
				ys = append(ys, d.Below, d.Above)
			}
		}
	}
	f.X.set(&p.X, xs, room.low, room.high, columnWidth-8)
	f.Y.set(&p.Y, ys, room.y, room.y, labelWidth)
	if f.Y.named() {
		p.Y.Scale = plot.InvertedScale{Normalizer: p.Y.Scale}
	}
	pen, right := &pen{figure: f}, vg.Length(10)
	p.Add(pen)
	if f.has(Dot) {
		right += legendWidth
	}
	bottom := vg.Length(4)
	if f.has(Cell) {
		bottom += scaleHeight
	}
	p.Draw(draw.Crop(whole, 4, -right, bottom, -8))
	f.legend(whole)
	f.scaleBar(whole)
	return pen.unnamed
}

// set configures a plot's axis: ticks, names wrapped to width, and a range of all values,
// extended at both ends by the shares low and high.
func (a Axis) set(axis *plot.Axis, values []float64, low, high float64, width int) {
	if a.named() {
		var ticks plot.ConstantTicks
		for i, name := range slices.Backward(a.Names) {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: wrapped(name, axis.Tick.Label, vg.Length(width))})
		}
		axis.Min, axis.Max = -max(.5, low), float64(len(a.Names)-1)+max(.5, high)
		axis.Tick.Marker, axis.Tick.Length, axis.LineStyle.Width = ticks, 0, 0
		return
	}
	if a.Log {
		a.setLog(axis, values, low, high)
		return
	}
	if a.Zero {
		values = append(values, 0)
	}
	least, most := slices.Min(values), slices.Max(values)
	size := most - least
	if size <= 1e-9*max(math.Abs(least), math.Abs(most)) { // a single value up to rounding
		size, low, high = max(1, 1e-6*math.Abs(most)), 1, 1
	}
	axis.Min, axis.Max, axis.Tick.Marker = least-low*size, most+high*size, plainTicks{}
}

// setLog is set for a logarithmic axis.
func (a Axis) setLog(axis *plot.Axis, values []float64, low, high float64) {
	least, most := slices.Min(values), slices.Max(values)
	ratio := most / least
	if ratio <= 1+1e-9 {
		ratio, low, high = 2, 1, 1
	}
	axis.Scale, axis.Tick.Marker = plot.LogScale{}, logTicks{}
	axis.Min, axis.Max = least*math.Pow(ratio, -low), most*math.Pow(ratio, high)
}

// cut shortens a text to a width.
func cut(text string, style draw.TextStyle, width vg.Length) string {
	if style.Width(text) <= width {
		return text
	}
	letters := []rune(text)
	short := func(n int) string { return string(letters[:n]) + "…" }
	return short(sort.Search(len(letters), func(n int) bool { return style.Width(short(n+1)) > width }))
}

// pen draws in the plotting area of a figure.
type pen struct {
	figure *Figure
	draw.Canvas
	x, y    func(float64) vg.Length
	lines   []Mark         // drawn
	points  []Datum        // drawn
	taken   []vg.Rectangle // by points
	unnamed int
}

func (p *pen) at(d Datum) vg.Point { return vg.Point{X: p.x(d.X), Y: p.y(d.Y)} }

// Plot draws rules and marks, then the names of lines and points where there is room. It
// implements plot.Plotter.
func (p *pen) Plot(c draw.Canvas, plot *plot.Plot) {
	p.Canvas = c
	p.x, p.y = plot.Transforms(&c)
	p.rules(plot)
	with := map[Shape]func(Mark){Circle: p.point, Diamond: p.point, Triangle: p.point, Line: p.line, Interval: p.interval, Cross: p.cross, Bar: p.bar, Cell: p.cell, Label: p.cell, Dot: p.dots}
	for _, m := range p.figure.Marks {
		with[m.Shape](m)
	}
	p.nameLines()
	p.namePoints()
}

// rules draws a line at each numeric tick, except on the x axis of lines, and the zero
// line that named rows are compared with.
func (p *pen) rules(plot *plot.Plot) {
	style, f := draw.LineStyle{Color: rule.rgb(), Width: 0.5}, p.figure
	if !f.X.named() && !f.has(Line) {
		for _, t := range plot.X.Tick.Marker.Ticks(plot.X.Min, plot.X.Max) {
			p.StrokeLine2(style, p.x(t.Value), p.Min.Y, p.x(t.Value), p.Max.Y)
		}
	}
	if !f.Y.named() {
		for _, t := range plot.Y.Tick.Marker.Ticks(plot.Y.Min, plot.Y.Max) {
			p.StrokeLine2(style, p.Min.X, p.y(t.Value), p.Max.X, p.y(t.Value))
		}
	} else if f.X.Zero {
		p.StrokeLine2(draw.LineStyle{Color: Muted.rgb(), Width: 1}, p.x(0), p.Min.Y, p.x(0), p.Max.Y)
	}
}

func (p *pen) line(m Mark) {
	style := draw.LineStyle{Color: m.Colour.rgb(), Width: 1.5}
	if m.Dashed {
		style.Dashes = []vg.Length{5, 3}
	}
	points := make([]vg.Point, len(m.Data))
	for i, d := range m.Data {
		points[i] = p.at(d)
	}
	if m.Faint {
		style.Width = 1
	}
	p.StrokeLines(style, points)
	if m.Name != "" && !m.Faint {
		p.lines = append(p.lines, m)
	}
}

func (p *pen) interval(m Mark) {
	style := draw.LineStyle{Color: m.Colour.rgb(), Width: 1.5}
	for _, d := range m.Data {
		at, low, high := p.at(d), p.x(d.Low), p.x(d.High)
		point := draw.GlyphStyle{Color: style.Color, Radius: 3.5, Shape: draw.CircleGlyph{}}
		if d.Hollow {
			point.Shape = draw.RingGlyph{}
			p.StrokeLine2(style, low, at.Y, max(at.X-point.Radius, low), at.Y)
			p.StrokeLine2(style, min(at.X+point.Radius, high), at.Y, high, at.Y)
		} else {
			p.StrokeLine2(style, low, at.Y, high, at.Y)
		}
		p.DrawGlyph(point, at)
	}
}

// cross draws the intervals of points along both axes.
func (p *pen) cross(m Mark) {
	style := draw.LineStyle{Color: m.Colour.rgb(), Width: 1}
	for _, d := range m.Data {
		at := p.at(d)
		p.StrokeLine2(style, p.x(d.Low), at.Y, p.x(d.High), at.Y)
		p.StrokeLine2(style, at.X, p.y(d.Below), at.X, p.y(d.Above))
	}
}

// haloes keep texts readable on lines.
const haloes = "text{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}@media (prefers-color-scheme:dark){text{stroke:#14181e}}"

// bar draws bars from 0, or from the edge if 0 is outside, to their values.
func (p *pen) bar(m Mark) {
	const half = 7
	for _, d := range m.Data {
		at, from := p.at(d), min(max(p.x(0), p.Min.X), p.Max.X)
		p.FillPolygon(m.Colour.rgb(), []vg.Point{{X: from, Y: at.Y - half}, {X: from, Y: at.Y + half}, {X: at.X, Y: at.Y + half}, {X: at.X, Y: at.Y - half}})
	}
}

// cell draws fields with their names, or names alone.
func (p *pen) cell(m Mark) {
	style := textStyle(Muted, -0.5, -0.5)
	for _, d := range m.Data {
		if m.Shape == Cell {
			style.Color = ink.rgb()
			x0, y0, x1, y1 := p.x(d.X-.5)+1.5, p.y(d.Y+.5)+1.5, p.x(d.X+.5)-1.5, p.y(d.Y-.5)-1.5
			p.FillPolygon(d.colour().rgb(), []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
		}
		p.FillText(style, p.at(d), d.Name)
	}
}

func (p *pen) point(m Mark) {
	shapes := map[Shape]draw.GlyphDrawer{Circle: draw.CircleGlyph{}, Diamond: diamondGlyph{}, Triangle: draw.PyramidGlyph{}}
	for _, d := range m.Data {
		at, r := p.at(d), vg.Point{X: 4, Y: 4}
		p.DrawGlyph(draw.GlyphStyle{Color: m.Colour.rgb(), Radius: r.X, Shape: shapes[m.Shape]}, at)
		p.taken = append(p.taken, vg.Rectangle{Min: at.Sub(r), Max: at.Add(r)})
	}
	p.points = append(p.points, m.Data...)
}

// diamondGlyph is a square standing on its corner.
type diamondGlyph struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamondGlyph) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 1.2
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

// nameLines writes each line's name at its end. It moves names up until none overlap, and
// back down if the pile is too high.
func (p *pen) nameLines() {
	end := func(m Mark) vg.Point { return p.at(m.Data[len(m.Data)-1]) }
	slices.SortStableFunc(p.lines, func(a, b Mark) int { return cmp.Compare(end(a).Y, end(b).Y) })
	const gap = 13
	at, least := make([]vg.Length, len(p.lines)), p.Min.Y
	for i, m := range p.lines {
		at[i] = max(end(m).Y, least)
		least = at[i] + gap
	}
	most := p.Max.Y
	for i, m := range slices.Backward(p.lines) {
		at[i] = min(at[i], most)
		most = at[i] - gap
		p.StrokeLine2(draw.LineStyle{Color: rule.rgb(), Width: 0.5}, end(m).X+2, end(m).Y, end(m).X+10, at[i])
		p.FillText(textStyle(m.Colour, 0, -0.5), vg.Point{X: end(m).X + 12, Y: at[i]}, m.Name)
	}
}

// pointLabel is a text for a point at its place.
type pointLabel struct {
	text  string
	place vg.Rectangle
	far   bool // a line connects it to its point
}

// namePoints puts a label at each point: its name, if the names of all points have room. Otherwise
// each point first gets its row, and then those have their names that still find room.
// namePoints counts the points without a label.
func (p *pen) namePoints() {
	labels, lines := make([]*pointLabel, len(p.points)), reach(p.named())
	if !p.place(labels, lines, func(d Datum) string { return d.Name }) && p.rows() {
		clear(labels)
		p.place(labels, farthest, func(d Datum) string { return fmt.Sprint(d.Row) })
		p.place(labels, lines, func(d Datum) string { return d.Name })
	}
	style := textStyle(ink, 0, -0.5)
	for i, d := range p.points {
		l := labels[i]
		switch {
		case d.Name == "":
			continue
		case l == nil:
			p.unnamed++
			continue
		}
		at, middle := p.at(d), (l.place.Min.Y+l.place.Max.Y)/2
		if l.far {
			p.StrokeLine2(draw.LineStyle{Color: Muted.rgb(), Width: 0.5}, at.X, at.Y, min(max(at.X, l.place.Min.X), l.place.Max.X), middle)
		}
		p.FillText(style, vg.Point{X: l.place.Min.X, Y: middle}, l.text)
	}
}

// place gives each named point the text at the first place around it, at most that many lines away,
// that covers neither a point nor the label of another. A point without such a place keeps its
// label. It reports whether all found one.
func (p *pen) place(labels []*pointLabel, lines int, text func(Datum) string) bool {
	style, all := textStyle(ink, 0, -0.5), true
	for i, d := range p.points {
		if d.Name == "" {
			continue
		}
		free := func(r vg.Rectangle) bool {
			return p.free(r) && !slices.ContainsFunc(labels, func(l *pointLabel) bool { return l != nil && l != labels[i] && meet(r, l.place) })
		}
		label := text(d)
		spots := around(p.at(d), style.Width(label), style.Height(label), lines)
		k := slices.IndexFunc(spots, free)
		if k < 0 {
			all = false
			continue
		}
		labels[i] = &pointLabel{label, spots[k], k >= adjacentSpots}
	}
	return all
}

// rows reports whether all points with names have rows.
func (p *pen) rows() bool {
	return !slices.ContainsFunc(p.points, func(d Datum) bool { return d.Name != "" && d.Row == 0 })
}

// named counts the points with a name.
func (p *pen) named() (n int) {
	for _, d := range p.points {
		if d.Name != "" {
			n++
		}
	}
	return n
}

// farthest is how many lines a label may be away from its point.
const farthest = 16

// reach returns how many lines a name may be away from its point. Lines to the names of many
// points would cross each other.
func reach(named int) int {
	if named > 30 {
		return 4
	}
	return farthest
}

// free reports whether a place is inside the drawing and covers no point.
func (p *pen) free(r vg.Rectangle) bool {
	return r.Min.X > p.Min.X && r.Max.X < p.Max.X+8 && r.Min.Y > p.Min.Y && r.Max.Y < p.Max.Y &&
		!slices.ContainsFunc(p.taken, func(o vg.Rectangle) bool { return meet(r, o) })
}

func meet(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// adjacentSpots is how many places around a point are adjacent to it.
const adjacentSpots = 4

// around lists the places for a name of that size: right, left, above and below its point,
// then ever further up and down on both sides. The page's script tries the same places
// (fn:apart).
func around(p vg.Point, w, h vg.Length, lines int) []vg.Rectangle {
	right, left, middle := p.X+7, p.X-7-w, p.Y-h/2
	corners := []vg.Point{{X: right, Y: middle}, {X: left, Y: middle}, {X: p.X - w/2, Y: p.Y + 7}, {X: p.X - w/2, Y: p.Y - 7 - h}}
	for far := h + 2; far <= vg.Length(lines)*(h+2); far += h + 2 {
		corners = append(corners, vg.Point{X: right + 5, Y: middle + far}, vg.Point{X: right + 5, Y: middle - far}, vg.Point{X: left - 5, Y: middle + far}, vg.Point{X: left - 5, Y: middle - far})
	}
	var out []vg.Rectangle
	for _, c := range corners {
		out = append(out, vg.Rectangle{Min: c, Max: c.Add(vg.Point{X: w, Y: h})})
	}
	return out
}
