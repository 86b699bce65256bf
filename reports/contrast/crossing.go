package contrast

import (
	"slices"
	"sync"

	"infbench/reports/scores"
)

// alignedOnce keeps the alignments of large sums on one number. Main effects and
// interactions are many sums over the same systems, of thousands in a large sweep:
// aligning each by itself took most of a report's time.
type alignedOnce struct {
	mutex sync.Mutex
	known []*alignedSystems
}

// alignedSystems are the values of some systems, aligned when first asked for.
type alignedSystems struct {
	systems []*scores.System
	once    sync.Once
	found   alignment
	whole   bool
}

// align finds the queries that all systems of some terms have a value for. Nothing that
// it returns may be changed.
func (r *Replication) align(terms []Term) (found alignment, whole bool) {
	if len(terms) <= 2 { // of pairs there are many, each its own
		return align(valuers(terms), r.On)
	}
	a := r.aligned.of(terms)
	a.once.Do(func() { a.found, a.whole = align(valuers(terms), r.On) })
	return a.found, a.whole
}

// of finds the place of the systems of some terms, in their order.
func (o *alignedOnce) of(terms []Term) *alignedSystems {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, a := range o.known {
		if slices.EqualFunc(a.systems, terms, func(s *scores.System, t Term) bool { return s == t.System }) {
			return a
		}
	}
	a := &alignedSystems{}
	for _, t := range terms {
		a.systems = append(a.systems, t.System)
	}
	o.known = append(o.known, a)
	return a
}

// valuers are where the values of some terms come from.
func valuers(terms []Term) []valuer {
	from := make([]valuer, len(terms))
	for i, t := range terms {
		from[i] = t.System.PerQuery
	}
	return from
}
