package reports

import (
	"runtime"
	"runtime/debug"

	"infbench/bench/results"
)

// manyValues is how many values make a report whose garbage is collected early: 48 MB of
// records. Smaller ones fit beside any other work, and are made sooner without.
const manyValues = 500_000

// Garbage of large reports, in per cent of what lives beside it: little while the records
// are there twice, as they were given and by slot.
const (
	beginningGarbage = 10
	laterGarbage     = 25
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

// letGo collects the records of a report of many values, which are no longer needed once
// they are filed by slot, before its garbage comes to stand beside them.
func letGo(values int) {
	if values >= manyValues {
		runtime.GC()
	}
}

// collectAt makes garbage be collected at so many per cent while a report of that many
// values is made, if they are many; undo ends that.
func collectAt(percent, values int) (undo func()) {
	if values < manyValues {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

// CollectEarly keeps the memory of a large report small while it is written, until undo.
func (r *Report) CollectEarly() (undo func()) { return collectAt(laterGarbage, r.values) }
