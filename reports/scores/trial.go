package scores

import (
	"slices"

	"infbench/runners/results"
)

// Trial is one planned cell, finished or not.
type Trial struct {
	results.Trial
	index      int    // index among the trials of the report, as in links
	identified bool   // its weights and data are recorded
	apart      string // distinguishes it from trials with the same configuration and seed but other values; "" if there are none
	Experiment string
	Scores     map[Slot]Values
	owed       map[Slot]bool     // slots expected while it has no value: those in which a trial of its owner has values
	benchmarks []string          // display names, as in slots
	Described  []string          // display names of the benchmarks in its provenance, with or without values
	Shown      map[string]string // display name of a benchmark by its own name
}

// owner decides which values a trial should have. An experiment evaluates all its trials
// on the same benchmarks, and each world has its own.
type owner struct{ experiment, world string }

func (t *Trial) owner() owner { return owner{t.Experiment, t.Config[results.World]} }

// Expects reports whether a trial was planned to have a value in slot s. For a finished
// trial it reports whether it was evaluated on the benchmark at all; for others, whether a
// finished trial of the same owner has a value there.
func (t *Trial) Expects(s Slot) bool {
	if len(t.Scores) > 0 {
		return slices.Contains(t.benchmarks, s.Benchmark)
	}
	return t.owed[s]
}

// Finished reports whether a trial has its numbers.
func (t *Trial) Finished() bool { return t.State == results.Done }
