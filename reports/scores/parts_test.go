package scores

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"infbench/runners/results"
)

// TestMeanOfPart checks that there is no mean over all tasks if a trial lacks a task or
// all of its values there are undefined, with and without per-query values.
func TestMeanOfPart(t *testing.T) {
	nan := math.NaN()
	all := map[string][]float64{"a": {.1}, "b": {.2}, "c": {.3}}
	tests := []struct {
		name   string
		values map[string][]float64
		alone  bool // means without per-query values
		want   string
		remark string
	}{
		{"all", all, false, "0.200000 whole", ""},
		{"all, means alone", all, true, "0.200000 whole", ""},
		{"lacks one", map[string][]float64{"a": {.9}, "b": {.9}}, false, "missing", "1 trial without c (x)"},
		{"lacks one, means alone", map[string][]float64{"a": {.9}, "b": {.9}}, true, "missing", "1 trial without c (x)"},
		{"lacks two, means alone", map[string][]float64{"b": {.9}}, true, "missing", "1 trial without a, c (x)"},
		{"undefined on one", map[string][]float64{"a": {.9}, "b": {nan, nan}, "c": {.9}}, false, "undefined", "undefined for every query of a task"},
		{"undefined for a query", map[string][]float64{"a": {.1, nan}, "b": {.2}, "c": {.3}}, false, "0.200000 partial", "mean over 3 queries of 1 of 1 trial: undefined for 1 query"},
		{"undefined on all", map[string][]float64{"a": {nan}, "b": {nan}, "c": {nan}}, false, "undefined", "undefined for every query of a task"},
	}
	for _, tt := range tests {
		v := viewOf(t, plainTrial("whole", all, tt.alone), plainTrial("x", tt.values, tt.alone))
		number := v.Columns("own").Main()[0]
		cell := v.Cell(v.Systems[1], number)
		got := string(cell.State)
		if cell.State.Valued() {
			got = fmt.Sprintf("%.6f %s", cell.Value, cell.State)
		}
		if got != tt.want || cell.Remark() != tt.remark {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, got, cell.Remark(), tt.want, tt.remark)
		}
		grids, err := v.Pivot(Projection{Row: []string{KeySystem}, Col: []string{KeyMeasure}})
		if err != nil {
			t.Fatal(err)
		}
		if got := grids[0].Cells[1][0]; got.State != cell.State {
			t.Errorf("%s: a projection has %s, want %s", tt.name, got.State, cell.State)
		}
	}
}

// plainTrial returns a trial on a benchmark called own.
func plainTrial(id string, values map[string][]float64, alone bool) results.Trial {
	t := results.Trial{ID: id, State: results.Done, Config: map[string]string{"model": id}}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: "own", Revision: "r"}}
	for _, task := range strings.Fields("a b c") {
		for i, v := range values[task] {
			r := results.Result{Benchmark: "own", Task: task, Query: fmt.Sprint(i + 1), Measure: "nDCG@10"}
			if !math.IsNaN(v) {
				r.Value = &v
			}
			if r.Aggregate = alone; alone {
				r.Query = ""
			}
			t.Results = append(t.Results, r)
		}
	}
	return t
}
