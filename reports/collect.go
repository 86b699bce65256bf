package reports

import (
	"runtime"

	"infbench/runners/results"
)

// manyValues is the number of values from which garbage is collected early: 48 MB of
// records. Smaller reports fit in memory anyway, and are faster without.
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

// collectGone runs the garbage collector whenever 50 MB of records were released, so that
// they do not add to the garbage of the report.
func collectGone() func(values int) {
	waiting := 0
	return func(values int) {
		if waiting += values; waiting >= manyValues {
			runtime.GC()
			waiting = 0
		}
	}
}

// small calls o.Heap for a report with that many values, if they are many.
func (o *Options) small(values int) (undo func()) {
	if values < manyValues || o.Heap == nil {
		return func() {}
	}
	return o.Heap()
}

// SmallHeap keeps the memory of a large report small while it is written, until undo is
// called.
func (r *Report) SmallHeap() (undo func()) { return r.options.small(r.values) }
