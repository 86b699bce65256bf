package scores

import (
	"reflect"
	"testing"

	"infbench/runners/results"
)

// TestDescribe checks that all recorded tasks of a benchmark are kept, in any order, if
// each trial was evaluated on only some of them.
func TestDescribe(t *testing.T) {
	one := results.Benchmark{Name: "mini", Tasks: map[string]string{"a": "notes"}, Controls: []string{"a"}, Defeats: map[string][]string{"a": {"bm25"}}}
	two := results.Benchmark{Name: "mini", Tasks: map[string]string{"b": "more"}, Defeats: map[string][]string{"b": {"untrained"}}}
	for _, order := range [][]results.Benchmark{{one, two}, {two, one}, {one, two, one}} {
		all := Benchmarks{}
		for _, b := range order {
			all.describe("mini", b)
		}
		got := all["mini"]
		if len(got.Tasks) != 2 || !reflect.DeepEqual(got.Controls, []string{"a"}) || len(got.Defeats) != 2 {
			t.Errorf("%+v", got)
		}
	}
}
