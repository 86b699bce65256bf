package verify

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/runners/results"
)

// combined has runs on FollowIR's three tasks and on three of MAIR's, one of them in two splits
// with queries of the same IDs: a baseline, the reference, and a trained system with two seeds.
func combined() *results.Experiment {
	e := &results.Experiment{Name: "combined"}
	r := rand.New(rand.NewPCG(1, 2))
	for _, config := range []map[string]string{{"model": "bm25"}, {"model": "untrained", "backbone": "b", "seed": "1"},
		{"model": "trained", "loss": "uni(P)", "backbone": "b", "seed": "1"}, {"model": "trained", "loss": "uni(P)", "backbone": "b", "seed": "2"}} {
		t := results.Trial{ID: fmt.Sprintf("%016x", r.Uint64()), State: results.Done, Config: config}
		t.Provenance.Benchmarks = []results.Benchmark{{Name: "followir", Revision: "f"}, {Name: "mair", Revision: "m",
			Groups: map[string][]string{"A/1": {"Web", "A"}, "A/2": {"Web", "A"}, "B": {"Web", "B"}, "C": {"Legal", "C"}}}}
		add := func(benchmark, task string, side datasets.Side, measure string, n int) {
			for q := range n {
				v := r.Float64()
				t.Results = append(t.Results, results.Result{Benchmark: benchmark, Task: task, Side: side, Measure: measure, Query: fmt.Sprint(q), Value: &v})
			}
		}
		for task, measure := range map[string]string{"core17": "AP@1000", "robust04": "AP@1000", "news21": "nDCG@5"} {
			n := 3 + len(task)
			add("followir", task, datasets.Original, measure, n)
			add("followir", task, datasets.Changed, measure, n)
			add("followir", task, datasets.None, "p-MRR", n)
		}
		for i, task := range []string{"A/1", "A/2", "B", "C"} {
			add("mair", task, datasets.None, "nDCG@10", 3+5*i)
		}
		e.Trials = append(e.Trials, t)
	}
	return e
}

// A page with combinations is made again from its values, and its means and differences follow from
// sums along their links: splits of a task together, and all queries with equal weights if the link
// has that form.
func TestCombinations(t *testing.T) {
	e := combined()
	html := pageOf(t, []*results.Experiment{e})
	if v := verified(t, html, []*results.Experiment{e}); len(v.Differ) > 0 || v.Cells == 0 {
		t.Errorf("%d differences, the first %s", len(v.Differ), v.Differ[0])
	}
	for _, stat := range []string{"mean", "difference"} {
		cell := regexp.MustCompile(`data-sort="[^"]*" data-from="` + stat + `-by-queries [^"]*"`).FindString(html)
		if cell == "" {
			t.Errorf("no cell links to a %s by queries", stat)
			continue
		}
		bent := strings.Replace(html, cell, strings.Replace(cell, "-by-queries", "", 1), 1)
		if v := verified(t, resealed(bent), []*results.Experiment{e}); len(v.Differ) == 0 {
			t.Errorf("a %s by queries passes as one over tasks", stat)
		}
	}
}
