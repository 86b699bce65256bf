package reports

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
)

// heatSteps is the number of shades between the middle and an end of the
// colour scale of static heatmaps.
const heatSteps = 12

// heatmap is a grid of values, coloured by their difference from one value.
type heatmap struct {
	title      string
	axes       [2]string // names of what rows and columns are
	rows, cols []string
	cells      [][]heatCell
	against    string // what zero of the colour scale is
	base       float64
}

// heatCell is one field; text is printed, value is coloured unless absent. A
// field without text is not in the plan.
type heatCell struct {
	text, tip string
	value     float64
	absent    bool
	from      *Link
}

// span is the largest difference from the base, the end of the colour scale,
// but at least 5 points: small differences must look small.
func (h *heatmap) span() float64 {
	most := 5.0
	for _, row := range h.cells {
		for _, c := range row {
			if !c.absent {
				most = max(most, math.Abs(c.value-h.base))
			}
		}
	}
	return most
}

func (v *view) heatCell(s *system, name string, c column) heatCell {
	if s == nil {
		return heatCell{absent: true, tip: name + ": not in the plan"}
	}
	cell := v.cell(s, c)
	e := cell.entry()
	h := heatCell{text: e.Text, value: scaled(cell.Value), absent: !cell.State.Valued(), from: e.From}
	h.tip = fmt.Sprintf("%s: %s", name, e.Text)
	if cell.State.Valued() {
		h.tip += fmt.Sprintf(" (%s)", plural(cell.Queries, "query", "queries"))
	}
	return h
}

// setBase colours by the difference from the reference system, or from the mean
// of the cells where it has no value.
func (v *view) setBase(h *heatmap, ref *system, c column) {
	if ref != nil {
		if cell := v.cell(ref, c); cell.State.Valued() {
			h.base, h.against = scaled(cell.Value), fmt.Sprintf("%s (%s)", ref.label, minus(percent(c.Measure, cell.Value)))
			return
		}
	}
	n := 0.0
	for _, row := range h.cells {
		for _, cell := range row {
			if !cell.absent {
				n++
				h.base += (cell.value - h.base) / n
			}
		}
	}
	h.against = "the mean of the cells"
}

// figure makes both forms of the heatmap.
func (h *heatmap) figure(id string) (*Figure, error) {
	f := &Figure{ID: id, Title: h.title, Height: 90 + 56*len(h.rows),
		Caption: fmt.Sprintf("%s. Values ×100. Blue is above %s, orange below, full colour a difference of %s; a blank cell is not in the plan.", h.axesWords(), h.against, fixed(h.span(), 1))}
	f.Alt = fmt.Sprintf("Heatmap of %s, %s (%s; %s); the table below it holds the numbers.",
		h.title, h.axesWords(), strings.Join(h.rows, "; "), strings.Join(h.cols, "; "))
	f.Table = h.table(id + "-table")
	var err error
	if f.Option, err = h.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = h.draw(f.Alt)
	return f, err
}

// axesWords says what the rows are by, and the columns.
func (h *heatmap) axesWords() string {
	if h.axes[0] == "" {
		return "Columns: " + h.axes[1]
	}
	return "Rows: " + h.axes[0] + "; columns: " + h.axes[1]
}

func (h *heatmap) table(id string) *Table {
	t := &Table{ID: id, Title: h.title, Columns: []Column{{Name: cmp.Or(h.axes[0], "all")}}}
	for _, c := range h.cols {
		t.Columns = append(t.Columns, Column{Name: c, Number: true})
	}
	for i, form := range h.rows {
		row := Row{Entries: []Entry{{Text: form}}}
		for _, c := range h.cells[i] {
			e := Entry{Text: c.text, From: c.from}
			if !c.absent {
				e.Sort = &c.value
			}
			row.Entries = append(row.Entries, e)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (h *heatmap) option(alt string) (map[string]any, error) {
	c := charts.NewHeatMap()
	axis := axisStyle()
	axis.Interval = "0"
	c.SetGlobalOptions(append(common(alt),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: h.cols, AxisLabel: axis}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: h.rows, AxisLabel: axis}),
		charts.WithGridOpts(opts.Grid{Left: "8", Right: "8", Top: "8", Bottom: "8", ContainLabel: opts.Bool(true)}),
		charts.WithVisualMapOpts(opts.VisualMap{Type: "continuous", Show: opts.Bool(false),
			Min: float32(h.base - h.span()), Max: float32(h.base + h.span()),
			InRange: &opts.VisualMapInRange{Color: []string{neg.css(), mid.css(), pos.css()}}}),
	)...)
	var data, absent []opts.HeatMapData
	for i, row := range h.cells {
		for j, cell := range row {
			switch {
			case cell.absent && cell.text != "":
				absent = append(absent, opts.HeatMapData{Name: cell.text, Value: []any{j, i, 0, cell.tip}})
			case !cell.absent:
				data = append(data, opts.HeatMapData{Name: cell.text, Value: []any{j, i, cell.value, cell.tip}})
			}
		}
	}
	c.AddSeries(h.title, data)
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

func (h *heatmap) draw(alt string) (*Drawing, error) {
	p := newPlot("", "")
	p.X.Min, p.X.Max = -0.5, float64(len(h.cols))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(h.rows))-0.5
	reversed := slices.Clone(h.rows)
	slices.Reverse(reversed)
	p.X.Tick.Marker, p.Y.Tick.Marker = names(h.cols), names(reversed)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width, a.Tick.Length = 0, 0
	}
	p.Add(drawing(func(c draw.Canvas, p *plot.Plot) {
		tx, ty := p.Transforms(&c)
		style, quiet := textStyle(p, ink.rgb(), -0.5, -0.5), textStyle(p, muted.rgb(), -0.5, -0.5)
		for i, row := range h.cells {
			y := float64(len(h.rows) - 1 - i)
			for j, cell := range row {
				x := float64(j)
				if cell.absent {
					c.FillText(quiet, vg.Point{X: tx(x), Y: ty(y)}, cell.text)
					continue
				}
				c.FillPolygon(h.shade(cell.value), rectangle(tx(x-.5)+1.5, ty(y-.5)+1.5, tx(x+.5)-1.5, ty(y+.5)-1.5))
				c.FillText(style, vg.Point{X: tx(x), Y: ty(y)}, cell.text)
			}
		}
	}))
	return render(p, 96*len(h.cols)+60, 60+44*len(h.rows), alt)
}

// shade is the colour of a value on the diverging scale.
func (h *heatmap) shade(v float64) color.Color {
	t := (v - h.base) / h.span()
	end := pos
	if t < 0 {
		end = neg
	}
	return between(mid, end, math.Round(math.Abs(t)*heatSteps)/heatSteps)
}

func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}
