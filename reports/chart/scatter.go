package chart

import (
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"infbench/reports/table"
	"infbench/reports/words"
)

// Scatter sets one number of each system against another.
type Scatter struct {
	Title, X, Y string
	Points      []Point
	Reading     string   // how to read it
	Left        []string // systems without a point, and why
	thinned     int      // points before the highest were kept; 0: all are there
	unnamed     int      // names that the drawing had no room for
}

type Point struct {
	Name   string
	Kind   table.Kind
	X, Y   float64
	Xt, Yt string // as tables print them
	Tip    string
	From   [2]*table.Link // of x and y
	px, py vg.Length      // filled in while drawing
}

// pointsAtMost is how many points one chart holds.
const pointsAtMost = 300

// Thin keeps the highest points by y, in their order.
func (s *Scatter) Thin() {
	n := len(s.Points)
	if n <= pointsAtMost {
		return
	}
	ys := make([]float64, n)
	for i, p := range s.Points {
		ys[i] = p.Y
	}
	slices.Sort(ys)
	least, kept := ys[n-pointsAtMost], s.Points[:0]
	for _, p := range s.Points {
		if p.Y >= least && len(kept) < pointsAtMost {
			kept = append(kept, p)
		}
	}
	s.Points, s.thinned = kept, n
}

func (s *Scatter) Figure(id string) (*Figure, error) {
	f := &Figure{ID: id, Title: s.Title, Height: 440, Caption: s.Reading}
	f.Alt = fmt.Sprintf("Scatter of %d systems: %s; the table below holds the numbers.", len(s.Points), s.Title)
	f.Table = &table.Table{ID: id + "-table", Title: s.Title,
		Columns: []table.Column{{Name: "system"}, {Name: s.X, Number: true}, {Name: s.Y, Number: true}}}
	for _, p := range s.Points {
		a, b := table.Number(p.Xt, p.X), table.Number(p.Yt, p.Y)
		a.From, b.From = p.From[0], p.From[1]
		f.Table.Rows = append(f.Table.Rows, table.Row{Kind: p.Kind, Entries: []table.Entry{{Text: p.Name}, a, b}})
	}
	if s.thinned > 0 {
		f.Caption += fmt.Sprintf(" The %d highest of %s points are shown.", len(s.Points), words.Group(s.thinned))
	}
	for _, name := range s.Left {
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
	kind   table.Kind
	symbol string
	colour swatch
} {
	return []struct {
		kind   table.Kind
		symbol string
		colour swatch
	}{{table.Trained, "circle", Series[0]}, {table.Baseline, "diamond", Series[1]}, {table.Null, "triangle", muted}}
}

func (s *Scatter) option(alt string) (map[string]any, error) {
	c := charts.NewScatter()
	name := func(text string) opts.XAxis {
		return opts.XAxis{Type: "value", Name: text, NameLocation: "middle", NameGap: 30, Scale: opts.Bool(true), AxisLabel: axisStyle()}
	}
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(name(s.X)),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: s.Y, NameLocation: "middle", NameGap: 38, Scale: opts.Bool(true), AxisLabel: axisStyle()}),
		charts.WithGridOpts(opts.Grid{Left: "56", Right: "28", Top: "16", Bottom: "48"}),
	)...)
	for _, m := range markers() {
		var data []opts.ScatterData
		for _, p := range s.Points {
			if p.Kind == m.kind {
				data = append(data, opts.ScatterData{Name: p.Name, Value: []any{p.X, p.Y, p.Tip}, Symbol: m.symbol, SymbolSize: 11})
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

func (s *Scatter) draw(alt string) (*Drawing, error) {
	p := newPlot(s.X, s.Y)
	var xs, ys []float64
	for _, pt := range s.Points {
		xs, ys = append(xs, pt.X), append(ys, pt.Y)
	}
	p.X.Min, p.X.Max = widen(xs, 0.1)
	p.Y.Min, p.Y.Max = widen(ys, 0.08)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, plainTicks{}
	p.Add(grid(true, true), painter(s.plot))
	return render(p, 720, 440, alt)
}

// plot draws the points, then each name at the first place around its point
// where it covers neither a point nor an earlier name, tied to the point where
// that is not next to it. A name without a place is left to the table.
func (s *Scatter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	shapes := map[table.Kind]draw.GlyphDrawer{table.Trained: draw.CircleGlyph{}, table.Baseline: Diamond{}, table.Null: draw.PyramidGlyph{}}
	points := slices.Clone(s.Points)
	var taken []vg.Rectangle
	for i := range points {
		pt := &points[i]
		pt.px, pt.py = tx(pt.X), ty(pt.Y)
		taken = append(taken, around(pt.px, pt.py, 4, 4))
		for _, m := range markers() {
			if m.kind == pt.Kind {
				c.DrawGlyph(draw.GlyphStyle{Color: m.colour.rgb(), Radius: 4, Shape: shapes[m.kind]}, vg.Point{X: pt.px, Y: pt.py})
			}
		}
	}
	s.unnamed = 0
	for _, pt := range points {
		style := textStyle(p, ink.rgb(), 0, -0.5)
		w, h := style.Width(pt.Name), style.Height(pt.Name)
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
		c.FillText(style, vg.Point{X: spot.Min.X, Y: spot.Min.Y + h/2}, pt.Name)
	}
}

// spotsBeside is how many of a point's spots are next to it.
const spotsBeside = 4

// spots lists the places for a name of that size: right, left, above and below
// its point, then ever further up and down on both sides. The page's script
// tries the same ones (fn:apart).
func (pt *Point) spots(w, h vg.Length) []vg.Rectangle {
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

// Diamond is a square on its tip.
type Diamond struct{}

func around(x, y, dx, dy vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x - dx, Y: y - dy}, Max: vg.Point{X: x + dx, Y: y + dy}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// DrawGlyph implements draw.GlyphDrawer.
func (Diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 1.2
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}
