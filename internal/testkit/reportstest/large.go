package reportstest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"infbench/datasets"
	"infbench/runners/results"
)

// Large returns an experiment of trials with three seeds each, over losses, learning rates
// and batch sizes. Each trial has this many values on one paired and two other benchmarks.
func Large(trials, values int) *results.Experiment {
	random := rand.New(rand.NewPCG(1, 1))
	e := &results.Experiment{Name: "large"}
	queries := make([]string, values)
	for q := range queries {
		queries[q] = fmt.Sprintf("query-%04d", q)
	}
	scorings := []struct {
		benchmark, task string
		side            datasets.Side
		measure         string
	}{
		{"followir", "core17", "", "p-MRR"}, {"followir", "core17", "original", "AP@1000"}, {"followir", "core17", "original", "nDCG@5"}, {"followir", "core17", "changed", "AP@1000"},
		{"mair", "a", "", "nDCG@10"}, {"mair", "b", "", "nDCG@10"}, {"mair", "c", "", "nDCG@10"}, {"bright", "a", "", "nDCG@10"}, {"bright", "b", "", "nDCG@10"}, {"bright", "c", "", "nDCG@10"},
	}
	each := values / len(scorings)
	for i := range trials {
		cell := i / 3
		config := map[string]string{"model": "trained", "loss": FixtureLosses[cell%11], "seed": strconv.Itoa(i%3 + 1), "backbone": "base",
			"train.lr": fmt.Sprintf("%de-5", cell/11%20+1), "train.batch": strconv.Itoa(cell / 220)}
		if i >= trials-3 {
			config = map[string]string{"model": "untrained", "seed": strconv.Itoa(i%3 + 1), "backbone": "base"}
		}
		t := results.Trial{ID: fmt.Sprintf("%016x", i), State: results.Done, Config: config, Marker: fmt.Sprintf("%064x", i)}
		t.Provenance = results.Provenance{Command: "infbench repeat runs/large " + t.ID, Started: time.Unix(int64(i), 0), Seconds: map[string]float64{"train": 100, "evaluate": 10, "total": 110}, PeakRSS: 1 << 30,
			Benchmarks: []results.Benchmark{{Name: "followir", Revision: "r", Content: fixtureContent("one")}, {Name: "mair", Revision: "r", Content: fixtureContent("one")}, {Name: "bright", Revision: "r", Content: fixtureContent("one")}}}
		lift := .1 * random.Float64()
		t.Results = make([]results.Result, 0, values)
		for _, s := range scorings {
			for q := range each {
				v := .3 + lift + .2*random.Float64()
				t.Results = append(t.Results, results.Result{Benchmark: s.benchmark, Task: s.task, Query: queries[q], Side: s.side, Measure: s.measure, Value: &v})
			}
		}
		e.Trials = append(e.Trials, t)
	}
	return e
}
