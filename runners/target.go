package runners

import (
	"math"
	"sync"
	"sync/atomic"

	"infbench/metrics/trec"
)

// Target is the ranking of one query, to which several goroutines add.
type Target struct {
	mu    sync.Mutex
	top   *TopK
	floor atomic.Uint64 // the bits of top's floor
}

// Target sets t to the empty ranking of query number i.
func (s *Scope) Target(t *Target, i, depth int) {
	t.top = s.Top(i, depth)
	t.floor.Store(math.Float64bits(t.top.Floor()))
}

// Offer puts a document into the ranking if it is one of the best so far.
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

// Ranking returns the result when all offers are made.
func (t *Target) Ranking() trec.Ranking { return t.top.Ranking() }
