package scores

import (
	"slices"

	"infbench/runners/results"
)

// Trial is one planned cell, finished or not.
type Trial struct {
	results.Trial
	index      int    // among the trials of the whole report, as links name them
	identified bool   // it is recorded of which weights and data its values are
	apart      string // what tells it from others of its configuration and seed that have other values; "" where there are none
	Experiment string
	Scores     map[Slot]Values
	owed       map[Slot]bool     // what it owes before it has any value: what some trial of its owner has
	benchmarks []string          // display names, as slots hold them
	Described  []string          // those of them that its provenance describes, and others without a value
	Shown      map[string]string // display name of a benchmark by its own
}

// owner is what decides which values a trial owes: the experiment evaluates all
// its trials on the same benchmarks, of which each world has its own.
type owner struct{ experiment, world string }

func (t *Trial) owner() owner { return owner{t.Experiment, t.Config[results.World]} }

// Expects reports whether a trial was planned to yield a value in slot s: where it
// has finished, whether it was evaluated on the benchmark at all, else whether
// a finished trial of the same owner has a value there.
func (t *Trial) Expects(s Slot) bool {
	if len(t.Scores) > 0 {
		return slices.Contains(t.benchmarks, s.Benchmark)
	}
	return t.owed[s]
}

// Finished reports whether a trial has its numbers.
func (t *Trial) Finished() bool { return t.State == results.Done }
