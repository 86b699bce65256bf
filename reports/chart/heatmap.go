package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"infbench/reports/table"
	"infbench/reports/words"
)

// heatSteps is the number of shades between the middle and an end of the
// colour scale of static heatmaps.
const heatSteps = 12

// Heatmap is a grid of values, coloured by their difference from one value.
type Heatmap struct {
	Title      string
	Axes       [2]string // names of what rows and columns are
	Rows, Cols []string
	Cells      [][]HeatCell
	Against    string // what zero of the colour scale is
	Base       float64
}

// HeatCell is one field; text is printed, value is coloured unless absent. A
// field without text is not in the plan.
type HeatCell struct {
	Text, Tip string
	Value     float64
	Absent    bool
	From      *table.Link
}

// span is the largest difference from the base, the end of the colour scale,
// but at least 5 points: small differences must look small.
func (h *Heatmap) span() float64 {
	most := 5.0
	for _, row := range h.Cells {
		for _, c := range row {
			if !c.Absent {
				most = max(most, math.Abs(c.Value-h.Base))
			}
		}
	}
	return most
}

// Figure makes both forms of the heatmap.
func (h *Heatmap) Figure(id string) (*Figure, error) {
	f := &Figure{ID: id, Title: h.Title, Height: 90 + 56*len(h.Rows),
		Caption: fmt.Sprintf("%s. Values ×100. Blue is above %s, orange below, full colour a difference of %s; a blank cell is not in the plan.", h.axesWords(), h.Against, words.Fixed(h.span(), 1))}
	f.Alt = fmt.Sprintf("Heatmap of %s, %s (%s; %s); the table below it holds the numbers.",
		h.Title, h.axesWords(), strings.Join(h.Rows, "; "), strings.Join(h.Cols, "; "))
	f.Table = h.table(id + "-table")
	var err error
	if f.Option, err = h.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = h.draw(f.Alt)
	return f, err
}

// axesWords says what the rows are by, and the columns.
func (h *Heatmap) axesWords() string {
	if h.Axes[0] == "" {
		return "Columns: " + h.Axes[1]
	}
	return "Rows: " + h.Axes[0] + "; columns: " + h.Axes[1]
}

func (h *Heatmap) table(id string) *table.Table {
	t := &table.Table{ID: id, Title: h.Title, Columns: []table.Column{{Name: cmp.Or(h.Axes[0], "all")}}}
	for _, c := range h.Cols {
		t.Columns = append(t.Columns, table.Column{Name: c, Number: true})
	}
	for i, form := range h.Rows {
		row := table.Row{Entries: []table.Entry{{Text: form}}}
		for _, c := range h.Cells[i] {
			e := table.Entry{Text: c.Text, From: c.From}
			if !c.Absent {
				e.Sort = &c.Value
			}
			row.Entries = append(row.Entries, e)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (h *Heatmap) option(alt string) (map[string]any, error) {
	c := charts.NewHeatMap()
	axis := axisStyle()
	axis.Interval = "0"
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: h.Cols, AxisLabel: axis}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: h.Rows, AxisLabel: axis}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "8", Top: "8", Bottom: "8", ContainLabel: opts.Bool(true)}),
		charts.WithVisualMapOpts(opts.VisualMap{Type: "continuous", Show: opts.Bool(false),
			Min: float32(h.Base - h.span()), Max: float32(h.Base + h.span()),
			InRange: &opts.VisualMapInRange{Color: []string{neg.css(), mid.css(), pos.css()}}}),
	)...)
	var data, absent []opts.HeatMapData
	for i, row := range h.Cells {
		for j, cell := range row {
			switch {
			case cell.Absent && cell.Text != "":
				absent = append(absent, opts.HeatMapData{Name: cell.Text, Value: []any{j, i, 0, cell.Tip}})
			case !cell.Absent:
				data = append(data, opts.HeatMapData{Name: cell.Text, Value: []any{j, i, cell.Value, cell.Tip}})
			}
		}
	}
	c.AddSeries(h.Title, data)
	c.AddSeries("without a value", absent) // a scatter of words, see below
	tree, err := option(c)
	if err != nil {
		return nil, err
	}
	canvasTooltip(tree)
	for _, name := range []string{"xAxis", "yAxis"} {
		tree[name].([]any)[0].(map[string]any)["axisLine"] = map[string]any{"show": false}
	}
	tree["yAxis"].([]any)[0].(map[string]any)["inverse"] = true
	for _, m := range tree["visualMap"].([]any) {
		m.(map[string]any)["dimension"] = 2 // go-echarts would print it as a name
		m.(map[string]any)["seriesIndex"] = 0
	}
	fields, words := seriesOf(tree)[0], seriesOf(tree)[1]
	fields["label"] = map[string]any{"show": true, "formatter": "{b}", "color": ink.css(), "fontSize": 13}
	fields["itemStyle"] = map[string]any{"borderColor": "var(--page)", "borderWidth": 3}
	words["type"], words["symbolSize"] = "scatter", 0
	words["label"] = map[string]any{"show": true, "formatter": "{b}", "color": muted.css(), "fontSize": 12}
	return tree, nil
}

func (h *Heatmap) draw(alt string) (*Drawing, error) {
	p := newPlot("", "")
	p.X.Min, p.X.Max = -0.5, float64(len(h.Cols))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(h.Rows))-0.5
	reversed := slices.Clone(h.Rows)
	slices.Reverse(reversed)
	p.X.Tick.Marker, p.Y.Tick.Marker = names(h.Cols), names(reversed)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width, a.Tick.Length = 0, 0
	}
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
		tx, ty := p.Transforms(&c)
		style, quiet := textStyle(p, ink.rgb(), -0.5, -0.5), textStyle(p, muted.rgb(), -0.5, -0.5)
		for i, row := range h.Cells {
			y := float64(len(h.Rows) - 1 - i)
			for j, cell := range row {
				x := float64(j)
				if cell.Absent {
					c.FillText(quiet, vg.Point{X: tx(x), Y: ty(y)}, cell.Text)
					continue
				}
				c.FillPolygon(h.shade(cell.Value), rectangle(tx(x-.5)+1.5, ty(y-.5)+1.5, tx(x+.5)-1.5, ty(y+.5)-1.5))
				c.FillText(style, vg.Point{X: tx(x), Y: ty(y)}, cell.Text)
			}
		}
	}))
	return render(p, 96*len(h.Cols)+60, 60+44*len(h.Rows), alt)
}

// shade is the colour of a value on the diverging scale.
func (h *Heatmap) shade(v float64) color.Color {
	t := (v - h.Base) / h.span()
	end := pos
	if t < 0 {
		end = neg
	}
	return between(mid, end, math.Round(math.Abs(t)*heatSteps)/heatSteps)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
