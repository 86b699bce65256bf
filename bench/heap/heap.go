// Package heap sets how this process collects garbage, which is for a command to decide.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The heap of a large report: up to heapWanted nothing is collected, which a report of
// 2,000,000 values needs for its records and later for its tables, and beyond it garbage
// of that many per cent of what lives.
const (
	heapWanted   = 256 << 20
	leastGarbage = 25
)

// Small keeps the heap small while a large report is made, until undo. A percentage alone
// would collect often what is small and let what is large grow, so each collection says
// when the next one begins.
func Small() (undo func()) {
	c := collector{before: debug.SetGCPercent(leastGarbage)}
	c.next()
	return c.end
}

// Uncollected lets the heap of this process grow until undo. The bound of its memory
// still collects.
func Uncollected() (undo func()) {
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
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
