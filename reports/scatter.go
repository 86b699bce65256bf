package reports

import (
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scatter sets one number of each system against another.
type scatter struct {
	title, x, y string
	points      []point
	reading     string   // how to read it
	left        []string // systems without a point, and why
	thinned     int      // points before the highest were kept; 0: all are there
	unnamed     int      // names that the drawing had no room for
}

type point struct {
	name   string
	kind   Kind
	x, y   float64
	xt, yt string // as tables print them
	tip    string
	from   [2]*Link  // of x and y
	px, py vg.Length // filled in while drawing
}

// tradeoff sets p-MRR against the retrieval quality on the original
// instruction, by nDCG where the benchmark has it. A model may follow
// instructions and find nothing: the pair of numbers tells.
func (v *view) tradeoff(id string, columns []column) ([]*Figure, error) {
	var out []*Figure
	for i, y := range columns {
		if y.Measure != pairMeasure {
			continue
		}
		x, ok := qualityBeside(columns, i)
		if !ok {
			continue
		}
		s := &scatter{title: fmt.Sprintf("%s against %s on %s", y.scoring(), x.scoring(), y.test()), x: x.scoring() + " ×100", y: y.scoring() + " ×100",
			reading: "Up is following the change of instruction, right is finding what the original instruction asks for. " +
				"Circles are trained systems, diamonds baselines, triangles systems that do not look at the query."}
		for _, sys := range v.systems {
			s.add(v, sys, x, y)
		}
		if len(s.points) < 2 {
			continue
		}
		s.thin()
		f, err := s.figure(fmt.Sprintf("%s-tradeoff-%d", id, len(out)+1))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// qualityBeside finds the retrieval measure to set p-MRR against, on the same
// benchmark and tasks: the last one listed, which is nDCG where there is one.
func qualityBeside(columns []column, i int) (column, bool) {
	var best column
	found := false
	for _, c := range columns {
		if c.Benchmark != columns[i].Benchmark || c.Side == "" || !slices.Equal(c.Tasks, columns[i].Tasks) {
			continue
		}
		if !found || len(c.Measure) >= 4 && c.Measure[:4] == "nDCG" {
			best, found = c, true
		}
	}
	return best, found
}

func (s *scatter) add(v *view, sys *system, x, y column) {
	a, b := v.cell(sys, x), v.cell(sys, y)
	if a.State == Unplanned && b.State == Unplanned {
		return
	}
	if !a.State.Valued() || !b.State.Valued() {
		s.left = append(s.left, sys.label)
		return
	}
	p := point{name: sys.label, kind: sys.kind, x: scaled(a.Value), y: scaled(b.Value), xt: a.entry().Text, yt: b.entry().Text}
	p.from = [2]*Link{a.from, b.from}
	p.tip = fmt.Sprintf("%s\n%s %s\n%s %s", p.name, x.scoring(), p.xt, y.scoring(), p.yt)
	s.points = append(s.points, p)
}

// pointsAtMost is how many points one chart holds.
const pointsAtMost = 300

// thin keeps the highest points by y, in their order.
func (s *scatter) thin() {
	n := len(s.points)
	if n <= pointsAtMost {
		return
	}
	ys := make([]float64, n)
	for i, p := range s.points {
		ys[i] = p.y
	}
	slices.Sort(ys)
	least, kept := ys[n-pointsAtMost], s.points[:0]
	for _, p := range s.points {
		if p.y >= least && len(kept) < pointsAtMost {
			kept = append(kept, p)
		}
	}
	s.points, s.thinned = kept, n
}

func (s *scatter) figure(id string) (*Figure, error) {
	f := &Figure{ID: id, Title: s.title, Height: 440, Caption: s.reading}
	f.Alt = fmt.Sprintf("Scatter of %d systems: %s; the table below holds the numbers.", len(s.points), s.title)
	f.Table = &Table{ID: id + "-table", Title: s.title,
		Columns: []Column{{Name: "system"}, {Name: s.x, Number: true}, {Name: s.y, Number: true}}}
	for _, p := range s.points {
		a, b := number(p.xt, p.x), number(p.yt, p.y)
		a.From, b.From = p.from[0], p.from[1]
		f.Table.Rows = append(f.Table.Rows, Row{Kind: p.kind, Entries: []Entry{{Text: p.name}, a, b}})
	}
	if s.thinned > 0 {
		f.Caption += fmt.Sprintf(" The %d highest of %s points are shown.", len(s.points), group(s.thinned))
	}
	for _, name := range s.left {
		f.Table.Notes = append(f.Table.Notes, name+" has no point: a number is missing or undefined.")
	}
	var err error
	if f.Option, err = s.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = s.draw(f.Alt)
	if s.unnamed > 0 {
		f.Caption += " A name that would cover others is left out; the table has all."
	}
	return f, err
}

// markers are the symbol and colour of each kind.
func markers() []struct {
	kind   Kind
	symbol string
	colour swatch
} {
	return []struct {
		kind   Kind
		symbol string
		colour swatch
	}{{Trained, "circle", series[0]}, {Baseline, "diamond", series[1]}, {Null, "triangle", muted}}
}

func (s *scatter) option(alt string) (map[string]any, error) {
	c := charts.NewScatter()
	name := func(text string) opts.XAxis {
		return opts.XAxis{Type: "value", Name: text, NameLocation: "middle", NameGap: 30, Scale: opts.Bool(true), AxisLabel: axisStyle()}
	}
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(name(s.x)),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: s.y, NameLocation: "middle", NameGap: 38, Scale: opts.Bool(true), AxisLabel: axisStyle()}),
		charts.WithGridOpts(opts.Grid{Left: "56", Right: "28", Top: "16", Bottom: "48"}),
	)...)
	for _, m := range markers() {
		var data []opts.ScatterData
		for _, p := range s.points {
			if p.kind == m.kind {
				data = append(data, opts.ScatterData{Name: p.name, Value: []any{p.x, p.y, p.tip}, Symbol: m.symbol, SymbolSize: 11})
			}
		}
		if data != nil {
			c.AddSeries(string(m.kind), data, charts.WithItemStyleOpts(opts.ItemStyle{Color: m.colour.css()}))
		}
	}
	tree, err := option(c)
	if err != nil {
		return nil, err
	}
	canvasTooltip(tree)
	for _, m := range seriesOf(tree) {
		m["z"] = 10 // above the axis lines
		m["label"] = map[string]any{"show": true, "formatter": "{b}", "position": "right", "color": ink.css(), "fontSize": 12}
		m["labelLayout"] = "fn:apart"
		m["labelLine"] = map[string]any{"show": true, "lineStyle": map[string]any{"color": muted.css(), "width": 0.7}}
	}
	return tree, nil
}

func (s *scatter) draw(alt string) (*Drawing, error) {
	p := newPlot(s.x, s.y)
	var xs, ys []float64
	for _, pt := range s.points {
		xs, ys = append(xs, pt.x), append(ys, pt.y)
	}
	p.X.Min, p.X.Max = widen(xs, 0.1)
	p.Y.Min, p.Y.Max = widen(ys, 0.08)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, plainTicks{}
	p.Add(grid(true, true), drawing(s.plot))
	return render(p, 720, 440, alt)
}

// plot draws the points, then each name at the first place around its point
// where it covers neither a point nor an earlier name, tied to the point where
// that is not next to it. A name without a place is left to the table.
func (s *scatter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	shapes := map[Kind]draw.GlyphDrawer{Trained: draw.CircleGlyph{}, Baseline: diamond{}, Null: draw.PyramidGlyph{}}
	points := slices.Clone(s.points)
	var taken []vg.Rectangle
	for i := range points {
		pt := &points[i]
		pt.px, pt.py = tx(pt.x), ty(pt.y)
		taken = append(taken, around(pt.px, pt.py, 4, 4))
		for _, m := range markers() {
			if m.kind == pt.kind {
				c.DrawGlyph(draw.GlyphStyle{Color: m.colour.rgb(), Radius: 4, Shape: shapes[m.kind]}, vg.Point{X: pt.px, Y: pt.py})
			}
		}
	}
	s.unnamed = 0
	for _, pt := range points {
		style := textStyle(p, ink.rgb(), 0, -0.5)
		w, h := style.Width(pt.name), style.Height(pt.name)
		free := func(r vg.Rectangle) bool {
			return r.Min.X > c.Min.X && r.Max.X < c.Max.X+8 && r.Min.Y > c.Min.Y && r.Max.Y < c.Max.Y &&
				!slices.ContainsFunc(taken, func(o vg.Rectangle) bool { return overlap(r, o) })
		}
		spots := pt.spots(w, h)
		k := slices.IndexFunc(spots, free)
		if k < 0 {
			s.unnamed++
			continue
		}
		spot := spots[k]
		taken = append(taken, spot)
		if k >= spotsBeside {
			near := vg.Point{X: min(max(pt.px, spot.Min.X), spot.Max.X), Y: spot.Min.Y + h/2}
			c.StrokeLine2(draw.LineStyle{Color: muted.rgb(), Width: 0.5}, pt.px, pt.py, near.X, near.Y)
		}
		c.FillText(style, vg.Point{X: spot.Min.X, Y: spot.Min.Y + h/2}, pt.name)
	}
}

// spotsBeside is how many of a point's spots are next to it.
const spotsBeside = 4

// spots lists the places for a name of that size: right, left, above and below
// its point, then ever further up and down on both sides. The page's script
// tries the same ones (fn:apart).
func (pt *point) spots(w, h vg.Length) []vg.Rectangle {
	at := func(x, y vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}
	}
	right, left, middle := pt.px+7, pt.px-7-w, pt.py-h/2
	out := []vg.Rectangle{at(right, middle), at(left, middle), at(pt.px-w/2, pt.py+7), at(pt.px-w/2, pt.py-7-h)}
	for i := vg.Length(1); i <= 4; i++ {
		far := i * (h + 2)
		out = append(out, at(right+5, middle+far), at(right+5, middle-far), at(left-5, middle+far), at(left-5, middle-far))
	}
	return out
}

// diamond is a square on its tip.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 1.2
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

func around(x, y, dx, dy vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x - dx, Y: y - dy}, Max: vg.Point{X: x + dx, Y: y + dy}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
