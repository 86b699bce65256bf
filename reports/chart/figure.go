// Package chart draws: each kind of chart for ECharts and as static SVG. It is
// the only package that imports go-echarts and gonum/plot.
package chart

import (
	"encoding/json"
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"infbench/reports/table"
)

// Figure is a chart in the two forms that the page holds, with the table of its
// numbers.
type Figure struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string
	Alt     string // what the drawing shows, for readers who do not see it
	Height  int    // CSS pixels of the interactive chart
	Option  map[string]any
	Drawing *Drawing // the same chart without a script
	Table   *table.Table
	Open    bool // the table is read as much as the chart: do not fold it away
}

// chart is what go-echarts' chart types share. Their Render methods are never
// used: they print labels unescaped and ask the network for the script.
type chart interface {
	Validate()
	JSON() map[string]any
}

// option turns a chart into a plain JSON tree, so that fields which go-echarts
// lacks can be set on it.
func option(c chart) (map[string]any, error) {
	c.Validate()
	data, err := json.Marshal(c.JSON())
	if err != nil {
		return nil, fmt.Errorf("chart option: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("chart option: %w", err)
	}
	delete(tree, "title") // the page has real headings
	return tree, nil
}

// seriesOf returns the series of an option tree for further settings.
func seriesOf(tree map[string]any) []map[string]any {
	var out []map[string]any
	list, _ := tree["series"].([]any)
	for _, s := range list {
		if m, ok := s.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// common returns the settings of every chart: no animation, described for
// screen readers, a tooltip drawn on the canvas (one made of HTML would need
// inline styles, which the page's policy forbids).
func common(alt string) []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithAnimation(false),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true),
			Label: &opts.AriaLabel{Enabled: opts.Bool(true), Description: alt}}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	}
}

// canvasTooltip moves an option's tooltip onto the canvas; its text is the last
// dimension of each value, read by the page's script.
func canvasTooltip(tree map[string]any) {
	tree["tooltip"] = map[string]any{"renderMode": "richText", "confine": true, "formatter": "fn:tip", "trigger": "item"}
}

// axisStyle is the look of all axis labels.
func axisStyle() *opts.AxisLabel { return &opts.AxisLabel{Color: muted.css(), FontSize: 12} }
