package runners

import (
	"math"
	"sync"
	"sync/atomic"

	"infbench/metrics/trec"
)

// Target is the ranking of one query, which goroutines add to at the same time.
type Target struct {
	mu    sync.Mutex
	top   *TopK
	floor atomic.Uint64 // the bits of top's floor
}

// Target makes t the empty ranking of query number i.
func (s *Scope) Target(t *Target, i, depth int) {
	t.top = s.Top(i, depth)
	t.floor.Store(math.Float64bits(t.top.Floor()))
}

// Offer puts a document into the ranking if it is among the best so far.
func (t *Target) Offer(score float64, doc int32) {
	if score < t.Least() {
		return
	}
	t.mu.Lock()
	t.top.Offer(score, doc)
	t.floor.Store(math.Float64bits(t.top.Floor()))
	t.mu.Unlock()
}

// Least is the score below which no document enters.
func (t *Target) Least() float64 { return math.Float64frombits(t.floor.Load()) }

// Ranking is what was found, when nobody adds to it any more.
func (t *Target) Ranking() trec.Ranking { return t.top.Ranking() }
