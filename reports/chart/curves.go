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

// Curves is a line chart of one quantity over the training steps.
type Curves struct {
	Title, Y string
	Lines    []Line
}

// Line is the curve of one system, the mean over its trials.
type Line struct {
	Name   string
	Colour swatch
	Dashed bool
	Xs, Ys []float64
}

func (c *Curves) Figure(id, caption string) (*Figure, error) {
	f := &Figure{ID: id, Title: c.Title, Caption: caption, Height: 420}
	f.Alt = fmt.Sprintf("Line chart of %s over the training steps for %d systems; the table below holds first and last values.", c.Y, len(c.Lines))
	f.Table = &table.Table{ID: id + "-table", Title: c.Title, Columns: []table.Column{{Name: "system"},
		{Name: "steps", Number: true}, {Name: "first", Number: true}, {Name: "lowest", Number: true}, {Name: "highest", Number: true}, {Name: "last", Number: true}}}
	for _, l := range c.Lines {
		entry := func(v float64) table.Entry { return table.Number(words.Fixed(v, 3), v) }
		steps := l.Xs[len(l.Xs)-1]
		f.Table.Rows = append(f.Table.Rows, table.Row{Kind: table.Trained, Entries: []table.Entry{{Text: l.Name}, table.Number(words.Group(int(steps)), steps),
			entry(l.Ys[0]), entry(slices.Min(l.Ys)), entry(slices.Max(l.Ys)), entry(l.Ys[len(l.Ys)-1])}})
	}
	var err error
	if f.Option, err = c.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = c.draw(f.Alt)
	return f, err
}

func (c *Curves) option(alt string) (map[string]any, error) {
	chart := charts.NewLine()
	chart.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "step", NameLocation: "middle", NameGap: 28, AxisLabel: axisStyle()}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: c.Y, NameLocation: "middle", NameGap: 40, Scale: opts.Bool(true), AxisLabel: axisStyle()}),
		charts.WithGridOpts(opts.Grid{Left: "56", Right: "110", Top: "16", Bottom: "44"}),
	)...)
	for _, l := range c.Lines {
		var data []opts.LineData
		for i := range l.Xs {
			data = append(data, opts.LineData{Value: []any{l.Xs[i], words.Round4(l.Ys[i]), fmt.Sprintf("%s\nstep %s: %s", l.Name, words.Group(int(l.Xs[i])), words.Fixed(l.Ys[i], 3))}})
		}
		kind := "solid"
		if l.Dashed {
			kind = "dashed"
		}
		chart.AddSeries(l.Name, data,
			charts.WithLineStyleOpts(opts.LineStyle{Color: l.Colour.css(), Width: 1.8, Type: kind}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: l.Colour.css()}))
	}
	tree, err := option(chart)
	if err != nil {
		return nil, err
	}
	canvasTooltip(tree)
	for _, s := range seriesOf(tree) {
		s["symbolSize"] = 5
		s["showSymbol"] = false
		s["triggerLineEvent"] = true
		s["emphasis"] = map[string]any{"focus": "series", "lineStyle": map[string]any{"width": 3}}
		s["blur"] = map[string]any{"lineStyle": map[string]any{"opacity": 0.2}}
		s["endLabel"] = map[string]any{"show": true, "formatter": "{a}", "color": "inherit", "fontSize": 12, "width": 100, "overflow": "truncate"}
		s["labelLayout"] = "fn:ends"
	}
	return tree, nil
}

func (c *Curves) draw(alt string) (*Drawing, error) {
	p := newPlot("step", c.Y)
	var xs, ys []float64
	for _, l := range c.Lines {
		xs, ys = append(xs, l.Xs...), append(ys, l.Ys...)
	}
	_, p.X.Max = widen(xs, 0.24) // room for the labels at the ends
	p.Y.Min, p.Y.Max = widen(ys, 0.04)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, plainTicks{}
	p.Add(grid(false, true), painter(c.plot))
	return render(p, 720, 420, alt)
}

// plot draws the lines and names each at its end, the names moved apart until
// none covers another.
func (c *Curves) plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	type end struct {
		Line
		x, y, at vg.Length
	}
	var ends []end
	for _, l := range c.Lines {
		points := make([]vg.Point, len(l.Xs))
		for i := range l.Xs {
			points[i] = vg.Point{X: tx(l.Xs[i]), Y: ty(l.Ys[i])}
		}
		style := draw.LineStyle{Color: l.Colour.rgb(), Width: 1.5}
		if l.Dashed {
			style.Dashes = []vg.Length{5, 3}
		}
		canvas.StrokeLines(style, points)
		last := points[len(points)-1]
		ends = append(ends, end{l, last.X, last.Y, last.Y})
	}
	slices.SortStableFunc(ends, func(a, b end) int {
		switch {
		case a.y < b.y:
			return -1
		case a.y > b.y:
			return 1
		}
		return 0
	})
	const gap = vg.Length(13)
	for i := 1; i < len(ends); i++ {
		ends[i].at = max(ends[i].at, ends[i-1].at+gap)
	}
	if n := len(ends); n > 0 {
		if over := ends[n-1].at - canvas.Max.Y; over > 0 { // push the pile back down
			ends[n-1].at -= over
			for i := n - 2; i >= 0; i-- {
				ends[i].at = min(ends[i].at, ends[i+1].at-gap)
			}
		}
	}
	for _, e := range ends {
		canvas.StrokeLine2(draw.LineStyle{Color: rule.rgb(), Width: 0.5}, e.x+2, e.y, e.x+10, e.at)
		canvas.FillText(textStyle(p, e.Colour.rgb(), 0, -0.5), vg.Point{X: e.x + 12, Y: e.at}, e.Name)
	}
}
