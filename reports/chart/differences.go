package chart

import (
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Differences draws comparisons as points with their intervals around zero.
type Differences struct {
	Title string
	X     string
	Bars  []Bar
}

// Bar is one comparison times 100; shown is whether the corrected test calls
// the difference real.
type Bar struct {
	Name            string
	Mean, Low, High float64
	Shown           bool
	Tip             string
}

// barsWidth is the width of a drawing in CSS pixels: it stands beside a table, or
// beside another.
const barsWidth = 420

func (d *Differences) names() []string {
	out := make([]string, len(d.Bars))
	for i, b := range d.Bars {
		out[i] = b.Name
	}
	return out
}

// Option draws the intervals as a custom series, whose drawing function is in
// the page's script.
func (d *Differences) Option(alt string) (map[string]any, error) {
	c := charts.NewCustom()
	label := axisStyle()
	label.Interval = "0"
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: d.X, NameLocation: "middle", NameGap: 28, AxisLabel: axisStyle()}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: d.names(), AxisLabel: label}),
		charts.WithGridOpts(opts.Grid{Left: "16", Right: "20", Top: "8", Bottom: "36", ContainLabel: opts.Bool(true)}),
	)...)
	var data []opts.CustomData
	for i, b := range d.Bars {
		shown := 0
		if b.Shown {
			shown = 1
		}
		data = append(data, opts.CustomData{Name: b.Name, Value: []any{b.Mean, b.Low, b.High, i, shown, b.Tip}})
	}
	c.AddSeries(d.Title, data)
	tree, err := option(c)
	if err != nil {
		return nil, err
	}
	canvasTooltip(tree)
	systems := tree["yAxis"].([]any)[0].(map[string]any)
	systems["inverse"] = true
	names := systems["axisLabel"].(map[string]any)
	names["width"], names["overflow"] = 180, "truncate" // the table has them whole
	for _, s := range seriesOf(tree) {
		s["renderItem"] = "fn:interval"
		s["encode"] = map[string]any{"x": []int{0, 1, 2}, "y": 3, "tooltip": 5}
		s["z"] = 10 // a lower layer would hide behind the axes
		s["itemStyle"] = map[string]any{"color": Series[0].css()}
	}
	return tree, nil
}

func (d *Differences) Draw(alt string) (*Drawing, error) {
	p := newPlot(d.X, "")
	values := []float64{0}
	for _, b := range d.Bars {
		values = append(values, b.Low, b.High)
	}
	p.X.Min, p.X.Max = widen(values, 0.05)
	p.Y.Min, p.Y.Max = -0.6, float64(len(d.Bars))-0.4
	labels := d.names()
	slices.Reverse(labels)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, names(labels)
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Add(grid(true, false), painter(d.plot))
	return render(p, barsWidth, 60+24*len(d.Bars), alt)
}

func (d *Differences) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: muted.rgb(), Width: 1}, tx(0), c.Min.Y, tx(0), c.Max.Y)
	for i, b := range d.Bars {
		y := ty(float64(len(d.Bars) - 1 - i))
		line := draw.LineStyle{Color: Series[0].rgb(), Width: 1.5}
		r := vg.Length(3.5)
		if b.Shown {
			c.StrokeLine2(line, tx(b.Low), y, tx(b.High), y)
			c.DrawGlyph(draw.GlyphStyle{Color: line.Color, Radius: r, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(b.Mean), Y: y})
			continue
		}
		c.StrokeLine2(line, tx(b.Low), y, max(tx(b.Mean)-r, tx(b.Low)), y)
		c.StrokeLine2(line, min(tx(b.Mean)+r, tx(b.High)), y, tx(b.High), y)
		c.DrawGlyph(draw.GlyphStyle{Color: line.Color, Radius: r, Shape: draw.RingGlyph{}}, vg.Point{X: tx(b.Mean), Y: y})
	}
}
