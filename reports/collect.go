package reports

import (
	"runtime"

	"infbench/runners/results"
)

// manyValues is how many values make a report whose garbage is collected early: 48 MB of
// records. Smaller ones fit beside any other work, and are made sooner without.
const manyValues = 500_000

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

// small calls o.Heap for a report of that many values, if they are many.
func (o *Options) small(values int) (undo func()) {
	if values < manyValues || o.Heap == nil {
		return func() {}
	}
	return o.Heap()
}

// SmallHeap keeps the memory of a large report small while it is written, until undo.
func (r *Report) SmallHeap() (undo func()) { return r.options.small(r.values) }
