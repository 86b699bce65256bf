package chart

import (
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot/vg"

	"infbench/internal/words"
)

// option returns the figure for ECharts, in go-echarts' types where they suffice. Its
// charts are not used: they print labels unescaped and load the script from the network.
// Colours are CSS variables and functions have names; the page's script looks both up.
// Tooltips are drawn on the canvas: in HTML they would need inline styles, which the
// page's policy forbids.
func (f *Figure) option() map[string]any {
	on, room := opts.Bool(true), f.layout()
	x, y := f.X.option(room.xGap, columnWidth-8), f.Y.option(room.yGap, labelWidth)
	y.Inverse = opts.Bool(f.Y.named())
	switch {
	case f.X.named() && f.Y.named():
		x.AxisLine = &opts.AxisLine{Show: opts.Bool(false)}
		y.AxisLine = x.AxisLine
	}
	var series, colours []any
	for i, m := range f.Marks {
		if m.Shape == Cell {
			colours = append(colours, m.visualMap(i))
		}
		series = append(series, m.series())
	}
	tree := map[string]any{
		"animation": false,
		"aria":      opts.Aria{Enabled: on, Label: &opts.AriaLabel{Enabled: on, Description: f.Alt}},
		"tooltip":   map[string]any{"renderMode": "richText", "confine": true, "formatter": "fn:tip", "trigger": "item"},
		"grid":      []opts.Grid{{Left: room.left, Right: room.right, Top: room.top, Bottom: room.bottom, ContainLabel: opts.Bool(f.Y.named())}},
		"xAxis":     []drawnAxis{withLines(x)},
		"yAxis":     []drawnAxis{withLines(y)}, // both axes have the same type in ECharts
		"series":    series,
	}
	if colours != nil {
		tree["visualMap"] = colours
	}
	if f.has(Dot) {
		f.addZoom(tree)
	}
	return tree
}

// drawnAxis is an axis whose names may have several lines. ECharts takes their height from a Chinese
// letter, which not every machine has.
type drawnAxis struct {
	opts.XAxis
	AxisLabel     axisLabel  `json:"axisLabel"`
	NameTextStyle textHeight `json:"nameTextStyle"`
}

type axisLabel struct {
	*opts.AxisLabel
	LineHeight int `json:"lineHeight"`
}

type textHeight struct {
	LineHeight int `json:"lineHeight"`
}

func withLines(a opts.XAxis) drawnAxis {
	return drawnAxis{a, axisLabel{a.AxisLabel, lineHeight}, textHeight{lineHeight}}
}

// addZoom adds a legend to a chart of dots, whose names show and hide marks, and controls
// to zoom. The wheel alone scrolls the page.
func (f *Figure) addZoom(tree map[string]any) {
	var names []string
	for _, m := range f.Marks {
		names = append(names, m.Name)
	}
	quiet, on := map[string]any{"color": Muted.css()}, opts.Bool(true)
	tree["legend"] = map[string]any{"type": "scroll", "top": 4, "left": 56, "right": 120, "data": names, "textStyle": map[string]any{"color": ink.css()},
		"inactiveColor": rule.css(), "pageTextStyle": quiet, "pageIconColor": Muted.css(), "pageIconInactiveColor": rule.css()}
	tree["toolbox"] = map[string]any{"right": 28, "top": 2, "iconStyle": map[string]any{"borderColor": Muted.css()},
		"feature": map[string]any{"dataZoom": map[string]any{"show": on, "title": map[string]any{"zoom": "zoom into a box", "back": "back"}}, "restore": map[string]any{"show": on, "title": "all"}}}
	var zooms []any
	for _, axis := range []string{"xAxisIndex", "yAxisIndex"} {
		zooms = append(zooms, map[string]any{"type": "inside", axis: 0, "filterMode": "none", "zoomOnMouseWheel": "ctrl", "moveOnMouseMove": true, "moveOnMouseWheel": false})
	}
	tree["dataZoom"] = zooms
}

func (a Axis) option(gap, width int) opts.XAxis {
	label := &opts.AxisLabel{Color: Muted.css(), FontSize: 12}
	if a.named() {
		label.Interval = "0"
		names, _, _ := wrappedAll(a.Names, vg.Length(width))
		return opts.XAxis{Type: "category", Data: names, Name: a.Title, NameLocation: "middle", NameGap: gap, AxisLabel: label}
	}
	kind := "value"
	if a.Log {
		kind = "log"
	}
	axis := opts.XAxis{Type: kind, Name: a.Title, NameLocation: "middle", NameGap: gap, Scale: opts.Bool(!a.Zero), AxisLabel: label}
	if a.Holds != (Range{}) {
		axis.Min, axis.Max = a.Holds.Low, a.Holds.High
	}
	return axis
}

// series returns the mark for ECharts. A value starts with x and y and ends with the
// tooltip's text.
func (m *Mark) series() map[string]any {
	var data []any
	for _, d := range m.Data {
		value := []any{d.X, words.Round4(d.Y)}
		switch m.Shape {
		case Dot: // already rounded: there are many
			value[1] = d.Y
		case Interval:
			value = append(value, d.Low, d.High, !d.Hollow)
		case Cross:
			value = append(value, d.Low, d.High, d.Below, d.Above)
		case Cell:
			value = append(value, d.Value)
		case Circle, Diamond, Triangle:
			value = append(value, d.Row)
		}
		item := map[string]any{"name": d.Name, "value": append(value, d.Tip)}
		if m.isPoint() && d.Name == "" { // no line to an empty name
			item["label"], item["labelLine"] = map[string]any{"show": false}, map[string]any{"show": false}
		}
		data = append(data, item)
	}
	s := m.look()
	s["name"], s["data"] = m.Name, data
	return s
}

func (m *Mark) isPoint() bool {
	return m.Shape == Circle || m.Shape == Diamond || m.Shape == Triangle
}

// look returns the properties of a series except its data.
func (m *Mark) look() map[string]any {
	colour := opts.ItemStyle{Color: m.Colour.css()}
	text := func(c Colour, size float32) map[string]any {
		return map[string]any{"show": true, "formatter": "{b}", "color": c.css(), "fontSize": size}
	}
	switch m.Shape {
	case Line:
		if m.Faint {
			return map[string]any{"type": "line", "itemStyle": colour, "lineStyle": opts.LineStyle{Color: colour.Color, Width: 1.2}, "symbolSize": 5, "showSymbol": false, "triggerLineEvent": true, "z": 1,
				"emphasis": map[string]any{"focus": "series", "itemStyle": opts.ItemStyle{Color: ink.css()}, "lineStyle": opts.LineStyle{Color: ink.css(), Width: 3}}}
		}
		kind := "solid"
		if m.Dashed {
			kind = "dashed"
		}
		return map[string]any{"type": "line", "itemStyle": colour, "lineStyle": opts.LineStyle{Color: colour.Color, Width: 1.8, Type: kind},
			"symbolSize": 5, "showSymbol": false, "triggerLineEvent": true,
			"emphasis": map[string]any{"focus": "series", "lineStyle": opts.LineStyle{Width: 3}},
			"blur":     map[string]any{"lineStyle": opts.LineStyle{Opacity: opts.Float(0.2)}},
			"endLabel": map[string]any{"show": m.Name != "", "formatter": "{a}", "color": "inherit", "fontSize": 12, "width": 100, "overflow": "truncate"}, "labelLayout": "fn:ends"}
	case Interval: // a lower layer would hide behind the axes
		return map[string]any{"type": "custom", "renderItem": "fn:interval", "itemStyle": colour, "z": 10,
			"encode": opts.Encode{X: []int{0, 2, 3}, Y: 1, Tooltip: 5}}
	case Cross:
		return map[string]any{"type": "custom", "renderItem": "fn:cross", "itemStyle": colour, "silent": true, "z": 5, "encode": opts.Encode{X: []int{0, 2, 3}, Y: []int{1, 4, 5}}}
	case Bar:
		return map[string]any{"type": "bar", "itemStyle": colour, "barWidth": "62%", "encode": opts.Encode{X: 0, Y: 1, Tooltip: 2}}
	case Cell:
		return map[string]any{"type": "heatmap", "label": text(ink, 13), "labelLayout": "fn:inside", "itemStyle": map[string]any{"borderColor": "var(--page)", "borderWidth": 3}}
	case Dot:
		size := 5
		if len(m.Data) > 2000 { // smaller, so that fewer are hidden
			size = 3
		}
		return map[string]any{"type": "scatter", "symbol": m.Glyph, "symbolSize": size, "large": true, "itemStyle": map[string]any{"color": m.Colour.css(), "opacity": 0.75}}
	case Label:
		return map[string]any{"type": "scatter", "symbolSize": 0, "label": text(Muted, 12)}
	}
	label := text(ink, 12)
	label["position"], label["formatter"] = "right", "fn:name"
	named := slices.ContainsFunc(m.Data, func(d Datum) bool { return d.Name != "" })
	label["show"] = named
	label["textBorderColor"], label["textBorderWidth"] = "var(--page)", 3 // readable on lines
	return map[string]any{"type": "scatter", "symbol": m.Shape, "symbolSize": 11, "itemStyle": colour, "z": 10, "label": label, "labelLayout": "fn:apart",
		"labelLine": map[string]any{"show": named, "lineStyle": opts.LineStyle{Color: Muted.css(), Width: 0.7}}}
}
