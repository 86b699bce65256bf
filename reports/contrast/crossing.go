package contrast

import (
	"cmp"
	"slices"
	"sync"

	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// crossing holds the data shared by all sums over some systems on one number: the queries
// that all of them have a value for, and the variance of their runs.
type crossing struct {
	systems    []*scores.System
	found      alignment
	complete   bool
	sums       *stats.Crossed // nil for pairs and for systems that cannot be tested
	untestable string         // reason why nothing is tested, from one of the systems
	oneRun     bool           // a system was trained once
	replicated bool           // every trained system has enough runs to predict a further one
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
	x.found, x.complete = align(valuers(systems), r.On)
	for _, lacks := range x.found.lacking {
		x.dropped += lacks
	}
	if x.complete && x.dropped == 0 && len(systems) > 2 {
		for i, s := range systems { // store the complete values, to share them with other crossings
			kept, _ := r.joined.LoadOrStore(s, x.found.values[i])
			x.found.values[i] = kept.([]float64)
		}
	}
	return x
}

// Chosen is the reason why nothing is tested for an active sweep that has not run all of
// its cells: results decided when to stop.
const Chosen = "its sweep chose cells by their results: only the verdicts of its sequence hold"

// untestable returns the reason why a system is not tested, or "".
func untestable(s *scores.System, on scores.Number) string {
	switch {
	case s.Aggregated(on):
		return "only a mean is known, without per-query values"
	case s.ChosenByResults():
		return Chosen
	}
	return ""
}

// terms returns the systems with their values and the given coefficients.
func (x *crossing) terms(r *Replication, coefficients []float64) []stats.Term {
	out := make([]stats.Term, len(x.systems))
	for i, s := range x.systems {
		out[i] = r.term(s, coefficients[i], x.found.values[i])
	}
	return out
}

// estimate returns the sum of the systems with the given coefficients.
func (x *crossing) estimate(r *Replication, coefficients []float64) (e stats.Estimate, ok bool) {
	if x.sums != nil {
		return x.sums.Contrast(coefficients)
	}
	return x.found.Contrast(x.terms(r, coefficients)...)
}

// crossings caches the crossings of large sums on one number. Main effects and
// interactions are many sums over the same systems, which are thousands in a large sweep.
// Aligning each sum by itself took most of a report's time; the other shared work took
// half of the rest.
type crossings struct {
	mutex sync.Mutex
	known []*crossedOnce
}

// crossedOnce is a crossing that is made on first use.
type crossedOnce struct {
	systems []*scores.System
	once    sync.Once
	made    *crossing
}

// crossing returns the crossing for the systems of some terms. It must not be changed.
func (r *Replication) crossing(terms []Term) *crossing {
	if len(terms) <= 2 { // pairs are many and share nothing
		return newCrossing(r, systemsOf(terms))
	}
	o := r.crossings.find(terms)
	o.once.Do(func() {
		x := newCrossing(r, o.systems)
		if x.complete && x.untestable == "" {
			x.sums = x.found.Cross(x.terms(r, make([]float64, len(terms))))
		}
		o.made = x
	})
	return o.made
}

// find returns the entry for the systems of some terms, in their order.
func (all *crossings) find(terms []Term) *crossedOnce {
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

// valuers returns the sources of the systems' values.
func valuers(systems []*scores.System) []valuer {
	from := make([]valuer, len(systems))
	for i, s := range systems {
		from[i] = s.PerQuery
	}
	return from
}
