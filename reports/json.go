package reports

import (
	"encoding/json"
	"io"

	"infbench/metrics/stats"
)

// jsonReport is the shape of a report in JSON. Values are in their native
// range, not times 100; null is "no value", with the reason in state.
type jsonReport struct {
	Title       string           `json:"title"`
	Findings    []string         `json:"findings"`
	Cells       []jsonCell       `json:"cells"`
	Comparisons []jsonComparison `json:"comparisons"`
	Beside      []jsonBeside     `json:"beside_published,omitempty"`
	Published   []jsonPublished  `json:"published,omitempty"`
}

type jsonCell struct {
	Keys  map[string]string `json:"keys"`
	Value *float64          `json:"value"`
	Cell
}

type jsonComparison struct {
	Benchmark  string         `json:"benchmark"`
	Task       string         `json:"task"`
	Side       string         `json:"side,omitempty"`
	Measure    string         `json:"measure"`
	System     string         `json:"system"`
	Reference  string         `json:"reference"`
	Queries    int            `json:"queries"`
	Difference *float64       `json:"mean_difference"`
	Interval   stats.Interval `json:"interval"`
	P          *float64       `json:"p"`
	Holm       *float64       `json:"p_holm"`
	Method     string         `json:"method,omitempty"`
	Why        string         `json:"untested,omitempty"` // why there is no test
}

// WriteJSON prints the grids and comparisons of a report as indented JSON, with
// <, > and & escaped.
func WriteJSON(w io.Writer, r *Report) error {
	out := jsonReport{Title: r.Title, Findings: r.said(), Cells: []jsonCell{}, Comparisons: []jsonComparison{}}
	for _, g := range r.Grids {
		for i, row := range g.Rows {
			for j, col := range g.Cols {
				c := jsonCell{Keys: g.keys(row, col), Cell: g.Cells[i][j]}
				if c.State == Unplanned {
					continue
				}
				if c.State.Valued() {
					c.Value = &c.Cell.Value
				}
				out.Cells = append(out.Cells, c)
			}
		}
	}
	for _, b := range r.Boards {
		for _, f := range b.Families {
			for _, c := range f.Comparisons {
				out.Comparisons = append(out.Comparisons, c.json())
			}
		}
	}
	out.Beside, out.Published = r.besideJSON(), r.publishedJSON()
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// keys names the values of one cell's keys.
func (g *Grid) keys(row, col []string) map[string]string {
	out := map[string]string{}
	values := append(append(append([]string{}, g.Table...), row...), col...)
	for i, key := range g.Keys {
		out[key] = values[i]
	}
	return out
}

func (c *Comparison) json() jsonComparison {
	out := jsonComparison{
		Benchmark: c.At.Benchmark, Task: c.At.Task, Side: c.At.Side, Measure: c.At.Measure,
		System: c.System, Reference: c.Reference, Queries: c.Test.N, Method: c.Test.Method, Why: c.Why,
	}
	if c.Why == "" {
		out.Difference, out.Interval = &c.Test.MeanDifference, c.Interval
		out.P, out.Holm = &c.Test.P, &c.Holm
	}
	return out
}
