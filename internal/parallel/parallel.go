// Package parallel runs a loop over independent items on all processors. Each item must write only
// its own data, so that results do not depend on the number of processors. Use package errgroup for
// work that can fail or be cancelled.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1.
func Each(n int, do func(i int)) { Workers(n, func() func(int) { return do }) }

// Ranges calls do for ranges of at most grain numbers that together cover 0 to n-1.
func Ranges(n, grain int, do func(from, to int)) {
	Each((n+grain-1)/grain, func(i int) { do(i*grain, min((i+1)*grain, n)) })
}

// Workers is like Each for work with its own memory: every worker calls begin once and then the
// returned function for each item.
func Workers(n int, begin func() (do func(i int))) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			do := begin()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
