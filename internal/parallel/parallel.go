// Package parallel is the loop over independent pieces of work on all processors. What a
// piece writes belongs to it alone, so that results do not depend on how many processors
// there are. Work that can fail or be cancelled is for package errgroup.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1.
func Each(n int, do func(i int)) { Workers(n, func() func(int) { return do }) }

// Ranges calls do for ranges of grain numbers that together are 0 to n-1.
func Ranges(n, grain int, do func(from, to int)) {
	Each((n+grain-1)/grain, func(i int) { do(i*grain, min((i+1)*grain, n)) })
}

// Workers is Each for work that needs memory of its own: begin is called once by every
// worker and returns what that worker calls.
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
