package room

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
)

// Small is a heap that is not worth collecting, in bytes. Go collects from 4 MiB on, which
// who streams a file reaches a hundred times a second.
const Small = 32 << 20

// Usual is how much garbage Go lets stand beside what lives, in per cent.
const Usual = 100

// Never is a heap that only the bound of this process's memory has collected.
const Never = math.MaxInt64

// Collect lets the heap grow to so many bytes before any garbage is collected, and beyond
// that lets least per cent of what lives stand beside it as garbage. A percentage alone
// collects often what is small and lets what is large grow, so each collection says when
// the next one begins. The last one asked for holds, until its undo; what GOGC says holds
// against them all.
func Collect(heap int64, least int) (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	return collecting.begin(&habit{heap, least})
}

// habit is what Collect was asked for.
type habit struct {
	heap  int64
	least int
}

// first is the heap at which Go begins to collect at 100 per cent; it is proportional to
// the percentage.
const first = 4 << 20

// garbage is how much of it, in per cent, may stand beside what the last collection left
// and what else it looked through; below 0 there is no end to it.
func (h *habit) garbage(live, scanned int64) int {
	if h.heap == Never {
		return -1
	}
	beside := (h.heap - live) * 100 / max(1, live+scanned)
	return int(max(int64(h.least), min(beside, h.heap*100/first)))
}

// collector sets the percentage of garbage after every collection.
type collector struct {
	mutex  sync.Mutex
	habits []*habit // the last one holds
	before int      // the percentage when there was none
	waits  bool     // a cleanup will set the next percentage
}

var collecting collector

func (c *collector) begin(h *habit) (undo func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.habits) == 0 {
		c.before = debug.SetGCPercent(h.garbage(live()))
	}
	c.habits = append(c.habits, h)
	c.set()
	return func() { c.end(h) }
}

func (c *collector) end(h *habit) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if i := slices.Index(c.habits, h); i >= 0 {
		c.habits = slices.Delete(c.habits, i, i+1)
		c.set()
	}
}

// set sets the percentage that holds now, and sees to it that the next collection has it
// set again.
func (c *collector) set() {
	if len(c.habits) == 0 {
		debug.SetGCPercent(c.before)
		return
	}
	debug.SetGCPercent(c.habits[len(c.habits)-1].garbage(live()))
	if !c.waits {
		c.waits = true
		runtime.AddCleanup(new(*collector), (*collector).collected, c) // of garbage at once
	}
}

// collected is called after a collection.
func (c *collector) collected() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waits = false
	if len(c.habits) > 0 {
		c.set()
	}
}

// live is how many bytes the last collection left, and how many of stacks and global
// variables it looked through, to which Go's percentage applies, too.
func live() (left, scanned int64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64() + samples[2].Value.Uint64())
}
