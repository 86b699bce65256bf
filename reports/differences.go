package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// differences draws comparisons as points with their intervals around zero.
type differences struct {
	title string
	x     string
	bars  []bar
}

// bar is one comparison times 100; shown is whether the corrected test calls
// the difference real.
type bar struct {
	name            string
	mean, low, high float64
	shown           bool
	tip             string
}

// figures draws each column of a family.
func (f *Family) figures(id string) ([]*Figure, error) {
	var out []*Figure
	for _, col := range f.Columns {
		left := 0
		d := &differences{title: col.scoring() + " on " + col.test(), x: "difference ×100 from " + f.Reference}
		for _, c := range f.on(col) {
			low, high, ok := c.Interval.Get()
			if c.Why != "" || !ok {
				continue
			}
			d.bars = append(d.bars, bar{c.System, scaled(c.Test.MeanDifference), scaled(low), scaled(high), c.Verdict() == "higher" || c.Verdict() == "lower",
				fmt.Sprintf("%s\n%s %s\np (Holm) %s, n = %d", c.System, signed(c.Test.MeanDifference), interval(c.Interval), pValue(c.Holm), c.Test.N)})
		}
		d.bars, left = largestBars(d.bars)
		fig, err := d.figure(fmt.Sprintf("%s-difference-%d", id, len(out)+1), f, col)
		if err != nil {
			return nil, err
		}
		if left > 0 {
			fig.Caption += fmt.Sprintf(" The chart shows the %d largest differences of %s.", barsAtMost, group(barsAtMost+left))
		}
		if f.tested() > 0 && f.Method == tWords {
			fig.Table.Caption += " So many comparisons are tested by " + tWords + "."
		}
		out = append(out, fig)
	}
	return out, nil
}

// barsWidth is the width of a drawing in CSS pixels: it stands beside a table, or
// beside another.
const barsWidth = 420

// barsAtMost is how many systems one chart compares.
const barsAtMost = 60

// largestBars keeps the bars of the largest differences, in their order, and
// counts the others.
func largestBars(bars []bar) (kept []bar, left int) {
	if len(bars) <= barsAtMost {
		return bars, 0
	}
	sizes := make([]float64, len(bars))
	for i, b := range bars {
		sizes[i] = math.Abs(b.mean)
	}
	slices.Sort(sizes)
	least := sizes[len(sizes)-barsAtMost]
	for _, b := range bars {
		if math.Abs(b.mean) >= least && len(kept) < barsAtMost {
			kept = append(kept, b)
		}
	}
	return kept, len(bars) - len(kept)
}

func (d *differences) figure(id string, f *Family, col column) (*Figure, error) {
	fig := &Figure{ID: id, Title: d.title, Open: true, Height: 70 + 26*len(d.bars), Table: f.table(id+"-table", col),
		Caption: fmt.Sprintf("Mean difference from the %s system of the same setting with its 95%% interval. Filled: the Holm-corrected test over %s calls it a difference; hollow: it does not.",
			f.Reference, plural(f.tested(), "comparison", "comparisons"))}
	fig.Table.Caption = "Differences ×100. " + fmt.Sprintf("Holm over %s on %s.", plural(f.tested(), "comparison", "comparisons"), f.Benchmark)
	fig.Alt = fmt.Sprintf("Differences of %d systems from %s in %s with intervals; the table below holds the numbers.", len(d.bars), f.Reference, d.title)
	if len(d.bars) == 0 {
		return fig, nil
	}
	var err error
	if fig.Option, err = d.option(fig.Alt); err != nil {
		return nil, err
	}
	fig.Drawing, err = d.draw(fig.Alt)
	return fig, err
}

func (d *differences) names() []string {
	out := make([]string, len(d.bars))
	for i, b := range d.bars {
		out[i] = b.name
	}
	return out
}

// option draws the intervals as a custom series, whose drawing function is in
// the page's script.
func (d *differences) option(alt string) (map[string]any, error) {
	c := charts.NewCustom()
	label := axisStyle()
	label.Interval = "0"
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: d.x, NameLocation: "middle", NameGap: 28, AxisLabel: axisStyle()}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: d.names(), AxisLabel: label}),
		charts.WithGridOpts(opts.Grid{Left: "16", Right: "20", Top: "8", Bottom: "36", ContainLabel: opts.Bool(true)}),
	)...)
	var data []opts.CustomData
	for i, b := range d.bars {
		shown := 0
		if b.shown {
			shown = 1
		}
		data = append(data, opts.CustomData{Name: b.name, Value: []any{b.mean, b.low, b.high, i, shown, b.tip}})
	}
	c.AddSeries(d.title, data)
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
		s["itemStyle"] = map[string]any{"color": series[0].css()}
	}
	return tree, nil
}

func (d *differences) draw(alt string) (*Drawing, error) {
	p := newPlot(d.x, "")
	values := []float64{0}
	for _, b := range d.bars {
		values = append(values, b.low, b.high)
	}
	p.X.Min, p.X.Max = widen(values, 0.05)
	p.Y.Min, p.Y.Max = -0.6, float64(len(d.bars))-0.4
	labels := d.names()
	slices.Reverse(labels)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, names(labels)
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	p.Add(grid(true, false), drawing(d.plot))
	return render(p, barsWidth, 60+24*len(d.bars), alt)
}

func (d *differences) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: muted.rgb(), Width: 1}, tx(0), c.Min.Y, tx(0), c.Max.Y)
	for i, b := range d.bars {
		y := ty(float64(len(d.bars) - 1 - i))
		line := draw.LineStyle{Color: series[0].rgb(), Width: 1.5}
		r := vg.Length(3.5)
		if b.shown {
			c.StrokeLine2(line, tx(b.low), y, tx(b.high), y)
			c.DrawGlyph(draw.GlyphStyle{Color: line.Color, Radius: r, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(b.mean), Y: y})
			continue
		}
		c.StrokeLine2(line, tx(b.low), y, max(tx(b.mean)-r, tx(b.low)), y)
		c.StrokeLine2(line, min(tx(b.mean)+r, tx(b.high)), y, tx(b.high), y)
		c.DrawGlyph(draw.GlyphStyle{Color: line.Color, Radius: r, Shape: draw.RingGlyph{}}, vg.Point{X: tx(b.mean), Y: y})
	}
}
