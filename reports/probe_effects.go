package reports

import (
	"gonum.org/v1/gonum/stat"

	"infbench/metrics/stats"
	"infbench/runners/results"
)

// Levels of the tests.
const (
	significant   = 0.05 // significance level for Holm-corrected p-values
	probeCoverage = 0.95 // simultaneous coverage of the intervals of a family
	probeChance   = 0.8  // power for the reported smallest detectable effect
	probeBand     = 0.02 // an effect inside ± this counts as none
	fewest        = 10   // smallest number of items of a type that is tested
)

// everyType stands for the instructions of all types.
const everyType = "all"

// probeEffect is the effect of one kind of instruction relative to the own ones, for the
// instructions of a type.
type probeEffect struct {
	kind       results.Asking
	ofType     string
	n          int
	undefined  int
	own, asked float64
	change     stats.Estimate // change of the measure
	moved      stats.Estimate // 1 − overlap of rankings
	tested     bool           // the following fields are set

	interval, movedInterval stats.Interval // simultaneous over a family
	p, within               float64        // p-values, by Holm, of no change and of a change beyond the band
	alpha                   float64        // the level of a single test of the family, by Bonferroni
}

// effects returns the effects of a family, for all types together or for each type.
func (s *probedSubject) effects(types []string) []*probeEffect {
	var all []*probeEffect
	for _, t := range types {
		for _, k := range results.Askings() {
			p := s.pair(k.Name, t)
			if e := newEffect(k, t, p); e.n+e.undefined > 0 {
				all = append(all, e)
			}
		}
	}
	correctEffects(all)
	return all
}

// newEffect estimates an effect.
func newEffect(k results.Asking, ofType string, p pairedValues) *probeEffect {
	e := &probeEffect{kind: k, ofType: ofType, n: len(p.own), undefined: p.undefined}
	if e.n == 0 {
		return e
	}
	e.own, e.asked = p.Mean(p.own), p.Mean(p.asked)
	var moves bool
	e.change, e.tested = p.Contrast(stats.Term{Coefficient: 1, Values: p.asked}, stats.Term{Coefficient: -1, Values: p.own})
	e.moved, moves = p.Contrast(stats.Term{Coefficient: 1, Values: p.moved})
	e.tested = e.tested && moves && (ofType == everyType || e.n >= fewest)
	return e
}

// correctEffects corrects the tests of a family by Holm and its intervals by Bonferroni.
func correctEffects(all []*probeEffect) {
	var tested []*probeEffect
	var ps, within []float64
	for _, e := range all {
		if e.tested {
			tested, ps, within = append(tested, e), append(ps, e.change.P()), append(within, e.change.Within(probeBand))
		}
	}
	adjusted, inside := stats.Holm(ps), stats.Holm(within)
	for i, e := range tested {
		e.p, e.within, e.alpha = adjusted[i], inside[i], significant/float64(len(tested))
		e.interval = e.change.Simultaneous(probeCoverage, len(tested))
		e.movedInterval = e.moved.Simultaneous(probeCoverage, len(tested))
	}
}

// known reports whether the effect was tested; a nil effect was not.
func (e *probeEffect) known() bool { return e != nil && e.tested }

// shown reports whether the change of the measure is significant.
func (e *probeEffect) shown() bool { return e.known() && e.p <= significant && e.change.Value != 0 }

// lower reports whether the measure is significantly lower.
func (e *probeEffect) lower() bool { return e.shown() && e.change.Value < 0 }

// inside reports whether the change is equivalent to none.
func (e *probeEffect) inside() bool { return e.known() && e.within <= significant }

// still reports whether no value and no ranking changed at all.
func (e *probeEffect) still() bool {
	return e.known() && allZero(e.change.Values) && allZero(e.moved.Values)
}

func allZero(values []float64) bool {
	for _, v := range values {
		if v != 0 {
			return false
		}
	}
	return true
}

// smallest returns the smallest true change that the test would find in 80 % of cases.
func (e *probeEffect) smallest() (float64, bool) {
	return e.change.Smallest(probeChance, e.alpha).Get()
}

// spreadOf returns the variance of a query's values over the instructions of a kind,
// pooled over queries. ok is false if no query has two.
func (s *probedSubject) spreadOf(kind, ofType string) (variance float64, ok bool) {
	sum, freedom := 0.0, 0
	for _, task := range s.tasks {
		for _, i := range s.items[task] {
			for _, q := range i.queries {
				if values := q.values[kind]; len(values) > 1 && s.runs == 1 && q.hasType(ofType) {
					sum += stat.Variance(values, nil) * float64(len(values)-1)
					freedom += len(values) - 1
				}
			}
		}
	}
	return sum / float64(max(1, freedom)), freedom > 0
}
