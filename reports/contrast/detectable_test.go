package contrast

import (
	"fmt"
	"math"
	"testing"

	"infbench/bench/results"
	"infbench/metrics/stats"
	"infbench/reports/reportstest"
	"infbench/reports/scores"
)

// Detectable hands the runs of both systems to stats, seed by seed, on the queries
// that all have; a run without values is no run.
func TestDetectable(t *testing.T) {
	value := func(system, seed, q int) float64 {
		return 0.5 + 0.1*float64(system) + 0.03*math.Sin(float64(7*q)) + 0.02*math.Sin(float64(13*q+5*seed+29*system)) + 0.01*float64(seed)
	}
	var trials []results.Trial
	var want [2][][]float64
	for system, model := range []string{"a", "b"} {
		for seed := range 3 {
			var values []reportstest.Value
			var kept []float64
			for q := range 12 {
				if q == 11 && system == 1 { // a lacks nothing, b the last query
					continue
				}
				values = append(values, reportstest.At("bench", "task", "", "AP", fmt.Sprintf("q%02d", q), value(system, seed, q)))
				if q < 11 {
					kept = append(kept, value(system, seed, q))
				}
			}
			trials = append(trials, reportstest.TrialOf(fmt.Sprint(model, seed), map[string]string{"model": model, "seed": fmt.Sprint(seed)}, values...))
			want[system] = append(want[system], kept)
		}
	}
	failed := results.Trial{ID: "b3", State: results.Failed, Error: "out of memory", Config: map[string]string{"model": "b", "seed": "3"}}
	set, err := scores.New([]*results.Experiment{{Name: "x", Trials: append(trials, failed)}})
	if err != nil {
		t.Fatal(err)
	}
	split, err := stats.SplitDifference(want[0], want[1])
	if err != nil {
		t.Fatal(err)
	}
	column := scores.Number{Benchmark: "bench", Measure: "AP", Tasks: []string{"task"}}
	got, ok := Detectable(set.Systems[0], set.Systems[1], column, 0.05).Get()
	expected, _ := split.Smallest([2]int{3, 3}, 11, 0.8, 0.05).Get()
	if !ok || math.Abs(got-expected) > 1e-12 || got <= 0 {
		t.Errorf("%v (%v), want %v", got, ok, expected)
	}
	column.Tasks = []string{"another"}
	if v, ok := Detectable(set.Systems[0], set.Systems[1], column, 0.05).Get(); ok {
		t.Errorf("of a task without values: %v", v)
	}
}
