package reports

import (
	"runtime"

	"infbench/bench/results"
	"infbench/datasets/room"
)

// manyValues is how many values make a report whose garbage is collected early: 48 MB of
// records. Smaller ones fit beside any other work, and are made sooner without.
const manyValues = 500_000

// The heap of a large report: up to heapWanted nothing is collected, which a report of
// 2,000,000 values needs for its records and later for its tables, and beyond it garbage
// of that many per cent of what lives.
const (
	heapWanted   = 256 << 20
	leastGarbage = 25
)

// countValues counts the values of all trials.
func countValues(exps []*results.Experiment) (values int) {
	for _, e := range exps {
		for i := range e.Trials {
			values += len(e.Trials[i].Results)
		}
	}
	return values
}

// collectGone collects records that were taken, 50 MB at once, before garbage of the report
// comes to stand beside them.
func collectGone() func(values int) {
	waiting := 0
	return func(values int) {
		if waiting += values; waiting >= manyValues {
			runtime.GC()
			waiting = 0
		}
	}
}

// CollectEarly keeps the memory of a large report small while it is written, until undo.
func (r *Report) CollectEarly() (undo func()) { return collectEarly(r.values) }

// collectEarly keeps the heap small while a report of that many values is made, if they
// are many; undo ends that.
func collectEarly(values int) (undo func()) {
	if values < manyValues {
		return func() {}
	}
	return room.Collect(heapWanted, leastGarbage)
}
