package contrast

import (
	"cmp"
	"slices"
	"sync"

	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// crossing is what all sums over some systems on one number have in common: the queries
// that all of them have a value for, and how their runs vary.
type crossing struct {
	systems    []*scores.System
	found      alignment
	whole      bool
	sums       *stats.Crossed // nil of what cannot be tested, and of a pair
	untestable string         // why there is nothing to test, by what is known of one
	oneRun     bool           // one was trained once
	replicated bool           // what was trained was so often enough to say where a further run may lie
	runs       int
	dropped    int
}

// newCrossing aligns systems.
func newCrossing(r *Replication, systems []*scores.System) *crossing {
	x := &crossing{systems: systems, replicated: r.replicated(systems)}
	for _, s := range systems {
		x.untestable = cmp.Or(x.untestable, untestable(s, r.On))
		x.oneRun = x.oneRun || r.OneRun(s)
		x.runs += r.runs[s]
	}
	x.found, x.whole = align(valuers(systems), r.On)
	for _, lacks := range x.found.lacking {
		x.dropped += lacks
	}
	if x.whole && x.dropped == 0 && len(systems) > 2 {
		for i, s := range systems { // all that each has: what another crossing of it keeps
			kept, _ := r.joined.LoadOrStore(s, x.found.values[i])
			x.found.values[i] = kept.([]float64)
		}
	}
	return x
}

// Chosen is why nothing is tested of an active sweep that has not run all of its cells:
// results decided when to stop.
const Chosen = "its sweep chose cells by their results: only the verdicts of its sequence hold"

// untestable says why a system takes part in no test; "" where it does.
func untestable(s *scores.System, on scores.Number) string {
	switch {
	case s.Aggregated(on):
		return "a mean is known only, not its queries"
	case s.ChosenByResults():
		return Chosen
	}
	return ""
}

// terms are the systems with their values, and with coefficients.
func (x *crossing) terms(r *Replication, coefficients []float64) []stats.Term {
	out := make([]stats.Term, len(x.systems))
	for i, s := range x.systems {
		out[i] = r.term(s, coefficients[i], x.found.values[i])
	}
	return out
}

// estimate is the sum of the systems with some coefficients.
func (x *crossing) estimate(r *Replication, coefficients []float64) (e stats.Estimate, ok bool) {
	if x.sums != nil {
		return x.sums.Contrast(coefficients)
	}
	return x.found.Contrast(x.terms(r, coefficients)...)
}

// crossings keeps those of large sums on one number. Main effects and interactions are
// many sums over the same systems, of thousands in a large sweep: aligning each by itself
// took most of a report's time, and what else they share half of the rest.
type crossings struct {
	mutex sync.Mutex
	known []*crossedOnce
}

// crossedOnce is a crossing that is made when first asked for.
type crossedOnce struct {
	systems []*scores.System
	once    sync.Once
	made    *crossing
}

// crossing is that of the systems of some terms. Nothing in it may be changed.
func (r *Replication) crossing(terms []Term) *crossing {
	if len(terms) <= 2 { // of pairs there are many, each its own
		return newCrossing(r, systemsOf(terms))
	}
	o := r.crossings.of(terms)
	o.once.Do(func() {
		x := newCrossing(r, o.systems)
		if x.whole && x.untestable == "" {
			x.sums = x.found.Cross(x.terms(r, make([]float64, len(terms))))
		}
		o.made = x
	})
	return o.made
}

// of finds the place of the systems of some terms, in their order.
func (all *crossings) of(terms []Term) *crossedOnce {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	for _, o := range all.known {
		if slices.EqualFunc(o.systems, terms, func(s *scores.System, t Term) bool { return s == t.System }) {
			return o
		}
	}
	o := &crossedOnce{systems: systemsOf(terms)}
	all.known = append(all.known, o)
	return o
}

func systemsOf(terms []Term) []*scores.System {
	out := make([]*scores.System, len(terms))
	for i, t := range terms {
		out[i] = t.System
	}
	return out
}

func coefficientsOf(terms []Term) []float64 {
	out := make([]float64, len(terms))
	for i, t := range terms {
		out[i] = t.Coefficient
	}
	return out
}

// valuers are where the values of some systems come from.
func valuers(systems []*scores.System) []valuer {
	from := make([]valuer, len(systems))
	for i, s := range systems {
		from[i] = s.PerQuery
	}
	return from
}
