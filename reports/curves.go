package reports

import (
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"infbench/bench/results"
)

// curvePoints is the most points a training curve is drawn with; longer ones
// are averaged over equal stretches of steps.
const curvePoints = 60

// linesAtMost is how many lines one chart holds.
const linesAtMost = 60

// curves is a line chart of one quantity over the training steps.
type curves struct {
	title, y string
	lines    []line
}

// line is the curve of one system, the mean over its trials.
type line struct {
	name   string
	colour swatch
	dashed bool
	xs, ys []float64
}

// curves draws the training loss and, where it was recorded, the in-batch
// accuracy of every trained system.
func (v *view) curves(id string) ([]*Figure, error) {
	all := []struct {
		id, title, y, caption string
		of                    func(results.Step) float64
	}{
		{"curves-loss", "Training loss", "loss", "Losses of different forms and terms add up different things: compare shapes, not heights.",
			func(s results.Step) float64 { return s.Loss }},
		{"curves-accuracy", "In-batch accuracy", "share of batches' positives ranked first", "How often the positive is ranked first within its training batch.",
			func(s results.Step) float64 { return s.Accuracy }},
	}
	var out []*Figure
	for _, a := range all {
		c := &curves{title: a.title, y: a.y}
		stretch := v.collect(c, a.of)
		systems := len(c.lines)
		c.lines = c.lines[:min(systems, linesAtMost)]
		if len(c.lines) == 0 {
			continue
		}
		caption := a.caption
		if stretch > 1 {
			caption += fmt.Sprintf(" Each point is the mean of %d steps.", stretch)
		}
		if systems > linesAtMost {
			caption += fmt.Sprintf(" The first %d of %s systems.", linesAtMost, group(systems))
		}
		f, err := c.figure(id+"-"+a.id, caption+" Solid and dashed tell forms apart, colours the terms.")
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// collect gathers the lines of a chart and returns the longest stretch of steps
// that a point stands for. Systems whose values are all 0 recorded none.
func (v *view) collect(c *curves, of func(results.Step) float64) (stretch int) {
	var forms, groups []string
	for _, s := range v.systems {
		steps := meanCurve(s, of)
		if len(steps) == 0 || !slices.ContainsFunc(steps, func(p [2]float64) bool { return p[1] != 0 }) {
			continue
		}
		form, terms, ok := splitLoss(s.loss)
		if !ok {
			form, terms = "", s.label
		}
		forms, groups = addNew(forms, form), addNew(groups, terms)
		l := line{name: s.label, colour: series[slices.Index(groups, terms)%len(series)], dashed: slices.Index(forms, form)%2 == 1}
		size := (len(steps) + curvePoints - 1) / curvePoints
		stretch = max(stretch, size)
		for part := range slices.Chunk(steps, size) {
			var x, y float64
			for _, p := range part {
				x += p[0]
				y += p[1]
			}
			l.xs = append(l.xs, x/float64(len(part)))
			l.ys = append(l.ys, y/float64(len(part)))
		}
		c.lines = append(c.lines, l)
	}
	return stretch
}

// meanCurve returns step and value, the mean over the trials that recorded that
// step, by ascending step. Values that are not finite are left out.
func meanCurve(s *system, of func(results.Step) float64) [][2]float64 {
	sum, count := map[int]float64{}, map[int]int{}
	for _, t := range s.trials {
		for _, step := range t.Curve {
			if y := of(step); finite(y) {
				sum[step.Step] += y
				count[step.Step]++
			}
		}
	}
	steps := make([]int, 0, len(sum))
	for step := range sum {
		steps = append(steps, step)
	}
	slices.Sort(steps)
	out := make([][2]float64, len(steps))
	for i, step := range steps {
		out[i] = [2]float64{float64(step), sum[step] / float64(count[step])}
	}
	return out
}

func addNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (c *curves) figure(id, caption string) (*Figure, error) {
	f := &Figure{ID: id, Title: c.title, Caption: caption, Height: 420}
	f.Alt = fmt.Sprintf("Line chart of %s over the training steps for %d systems; the table below holds first and last values.", c.y, len(c.lines))
	f.Table = &Table{ID: id + "-table", Title: c.title, Columns: []Column{{Name: "system"},
		{Name: "steps", Number: true}, {Name: "first", Number: true}, {Name: "lowest", Number: true}, {Name: "highest", Number: true}, {Name: "last", Number: true}}}
	for _, l := range c.lines {
		entry := func(v float64) Entry { return number(fixed(v, 3), v) }
		steps := l.xs[len(l.xs)-1]
		f.Table.Rows = append(f.Table.Rows, Row{Kind: Trained, Entries: []Entry{{Text: l.name}, number(group(int(steps)), steps),
			entry(l.ys[0]), entry(slices.Min(l.ys)), entry(slices.Max(l.ys)), entry(l.ys[len(l.ys)-1])}})
	}
	var err error
	if f.Option, err = c.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = c.draw(f.Alt)
	return f, err
}

func (c *curves) option(alt string) (map[string]any, error) {
	chart := charts.NewLine()
	chart.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "step", NameLocation: "middle", NameGap: 28, AxisLabel: axisStyle()}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: c.y, NameLocation: "middle", NameGap: 40, Scale: opts.Bool(true), AxisLabel: axisStyle()}),
		charts.WithGridOpts(opts.Grid{Left: "56", Right: "110", Top: "16", Bottom: "44"}),
	)...)
	for _, l := range c.lines {
		var data []opts.LineData
		for i := range l.xs {
			data = append(data, opts.LineData{Value: []any{l.xs[i], round4(l.ys[i]), fmt.Sprintf("%s\nstep %s: %s", l.name, group(int(l.xs[i])), fixed(l.ys[i], 3))}})
		}
		kind := "solid"
		if l.dashed {
			kind = "dashed"
		}
		chart.AddSeries(l.name, data,
			charts.WithLineStyleOpts(opts.LineStyle{Color: l.colour.css(), Width: 1.8, Type: kind}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: l.colour.css()}))
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

func (c *curves) draw(alt string) (*Drawing, error) {
	p := newPlot("step", c.y)
	var xs, ys []float64
	for _, l := range c.lines {
		xs, ys = append(xs, l.xs...), append(ys, l.ys...)
	}
	_, p.X.Max = widen(xs, 0.24) // room for the labels at the ends
	p.Y.Min, p.Y.Max = widen(ys, 0.04)
	p.X.Tick.Marker, p.Y.Tick.Marker = plainTicks{}, plainTicks{}
	p.Add(grid(false, true), drawing(c.plot))
	return render(p, 720, 420, alt)
}

// plot draws the lines and names each at its end, the names moved apart until
// none covers another.
func (c *curves) plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	type end struct {
		line
		x, y, at vg.Length
	}
	var ends []end
	for _, l := range c.lines {
		points := make([]vg.Point, len(l.xs))
		for i := range l.xs {
			points[i] = vg.Point{X: tx(l.xs[i]), Y: ty(l.ys[i])}
		}
		style := draw.LineStyle{Color: l.colour.rgb(), Width: 1.5}
		if l.dashed {
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
		canvas.FillText(textStyle(p, e.colour.rgb(), 0, -0.5), vg.Point{X: e.x + 12, Y: e.at}, e.name)
	}
}

func round4(v float64) float64 { return scaled(v) / 100 }
