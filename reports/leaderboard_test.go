package reports

import (
	"slices"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestRunsPerSystem checks that a planned, unfinished training run is not counted in a
// row's mean.
func TestRunsPerSystem(t *testing.T) {
	for want, waits := range map[string]func(i int) bool{
		"Each trained system is the mean of 2 training runs that differ in their seed.":                func(int) bool { return false },
		"Trained systems are means of 1 to 2 training runs that differ in their seed.":                 func(i int) bool { return i == 0 },
		"Each trained system is one training run; how much another seed would change is not measured.": func(i int) bool { return i%2 == 0 },
	} {
		e := reportstest.Fixture(2)
		trained := 0
		for i := range e.Trials {
			one := &e.Trials[i]
			if one.Config[results.Loss] == "" {
				continue
			}
			if waits(trained) {
				one.State, one.Results = results.Waiting, nil
			}
			trained++
		}
		if notes := build(t, Options{}, e).Boards[0].Leaderboard.Notes; !slices.Contains(notes, want) {
			t.Errorf("want %q among %q", want, notes)
		}
	}
}
