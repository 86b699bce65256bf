package reports

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"infbench/bench/results"
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

// collectEarly keeps the heap small while a report of that many values is made, if they
// are many; undo ends that. A percentage alone would collect often what is small and let
// what is large grow, so each collection says when the next one begins.
func collectEarly(values int) (undo func()) {
	if values < manyValues {
		return func() {}
	}
	c := collector{before: debug.SetGCPercent(leastGarbage)}
	c.next()
	return c.end
}

// collector sets the percentage of garbage after every collection.
type collector struct {
	mutex  sync.Mutex
	before int
	ended  bool
}

// next sets the percentage for the next collection, after which it is called again.
func (c *collector) next() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ended {
		return
	}
	debug.SetGCPercent(garbageBeside(liveBytes()))
	runtime.AddCleanup(new(*collector), func(c *collector) { c.next() }, c) // of garbage at once
}

func (c *collector) end() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ended = true
	debug.SetGCPercent(c.before)
}

// garbageBeside is how much garbage, in per cent, may stand beside so many live bytes.
func garbageBeside(live int64) int {
	live = max(1<<20, live) // before the first collection nothing is known
	return int(max(leastGarbage, (heapWanted-live)*100/live))
}

// liveBytes is what the last collection left.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// CollectEarly keeps the memory of a large report small while it is written, until undo.
func (r *Report) CollectEarly() (undo func()) { return collectEarly(r.values) }
