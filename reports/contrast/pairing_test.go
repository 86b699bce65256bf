package contrast

import (
	"fmt"
	"testing"

	"infbench/bench/results"
	"infbench/reports/scores"
)

// By hand: seed 1 is ahead by 1 and 0, seed 2 by 0 and .5; query c has no value in
// one of the runs.
func TestAcross(t *testing.T) {
	at := scores.Slot{Benchmark: "bench", Task: "task", Measure: "AP"}
	run := func(seed string, values ...float64) *scores.Trial {
		out := &scores.Trial{Trial: results.Trial{State: results.Done, Config: map[string]string{results.Seed: seed}}, Scores: map[scores.Slot]scores.Values{}}
		s := scores.Values{Queries: []string{"a", "b", "c"}[:len(values)]}
		for i := range values {
			s.Values = append(s.Values, &values[i])
		}
		out.Scores[at] = s
		return out
	}
	better := &scores.System{Trials: []*scores.Trial{run("1", 1, 0, 1), run("2", 0.5, 1, 1), run("3", 9, 9, 9)}}
	worse := &scores.System{Trials: []*scores.Trial{run("2", 0.5, 0.5, 1), run("1", 0, 0)}}
	c := Across([]Pairing{{better, worse}}, scores.Number{Benchmark: "bench", Measure: "AP", Tasks: []string{"task"}})
	got := c.sample()
	if want := "[[1 0] [0 0.5]]"; fmt.Sprint(got.rows) != want || c.Runs != 2 {
		t.Errorf("%v of %d pairs, want %s of 2", got.rows, c.Runs, want)
	}
	if want := "[0.5 0.25]"; fmt.Sprint(got.b) != want {
		t.Errorf("by query %v, want %s", got.b, want)
	}
}
