// Package heap sets the garbage collection of this process. Only a command should do so.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Settings for the heap of a large report. Up to heapWanted there is no collection: a report of
// 2,000,000 values needs that much for its records and later for its tables. Beyond it, garbage
// may be leastGarbage per cent of the live heap.
const (
	heapWanted   = 256 << 20
	leastGarbage = 25
)

// Small keeps the heap small while a large report is made, until undo is called. A fixed
// percentage would collect a small heap too often and let a large one grow too much, so each
// collection decides when the next one begins.
func Small() (undo func()) {
	c := collector{before: debug.SetGCPercent(leastGarbage)}
	c.next()
	return c.end
}

// Uncollected lets the heap of this process grow until undo is called. The memory limit still
// triggers collections.
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

// next sets the percentage for the next collection, which will call it again.
func (c *collector) next() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ended {
		return
	}
	debug.SetGCPercent(garbagePercent(liveBytes()))
	runtime.AddCleanup(new(*collector), func(c *collector) { c.next() }, c) // this object is garbage at once
}

func (c *collector) end() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ended = true
	debug.SetGCPercent(c.before)
}

// garbagePercent is the percentage of garbage allowed for that many live bytes.
func garbagePercent(live int64) int {
	live = max(1<<20, live) // unknown before the first collection
	return int(max(leastGarbage, (heapWanted-live)*100/live))
}

// liveBytes is the heap size after the last collection.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
