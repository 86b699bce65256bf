package adaptive

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/stats"
)

// Side is where a contrast is shown to lie.
type Side string

// The sides.
const (
	Open  Side = "open" // not shown to lie anywhere
	Above Side = "above"
	Below Side = "below"
)

// Evidence is what a look finds of a contrast.
type Evidence struct {
	Value         float64
	StandardError float64
	Freedom       float64 // of its t; below LeastFreedom it counts for nothing
	Share         float64 // of the information that there can be: the variance with all of it, over that at hand
}

// Standing is what the looks so far say of a contrast.
type Standing struct {
	Evidence                // of the last look that counted, or that settled it
	Side     Side           // once Above or Below, for good
	Looks    int            // that counted
	Level    float64        // of alpha that it is tested at, or was settled at
	Limit    float64        // which the deviate had to reach there, +Inf where nothing could be shown
	Deviate  float64        // normal, with the p-value of the t
	Interval stats.Interval // of the value; those of all contrasts at all looks hold together
}

// Family is contrasts that are looked at together, with one error rate: alpha spending with
// exact boundaries, and Holm's procedure over several contrasts.
//
// The guarantee. Over all its contrasts, at all looks and at whatever look the
// experiment is ended, for reasons that may lie in the data, the chance that any is ever
// called above or below zero on the wrong side, or where it is zero, is at most alpha; and
// the intervals of all looks hold together with 1 - alpha. It rests on this: at its looks
// the estimates of a contrast are jointly normal as those of a linear model are when data
// are added, Cov(estimate i, estimate j) = Var(estimate j) for i before j (the canonical
// joint distribution; Jennison and Turnbull 1997, Journal of the American Statistical
// Association 92). What is added may be chosen by variances and by which contrasts are
// settled, not by the estimates of those that are open. Variances are estimated: an
// estimate is scored by the normal deviate that has the p-value of its t, the
// significance level approach (Jennison and Turnbull 2000, Group Sequential Methods,
// section 3.8).
//
// How much of alpha a look may use follows from the share of the information that it has
// (Lan and DeMets 1983, Biometrika 70), so that neither the number of looks nor their
// times need be known beforehand. Boundaries are found by recursive integration (Armitage,
// McPherson and Rowe 1969, Journal of the Royal Statistical Society A 132). Over contrasts
// it is Holm's procedure with weights (1979, Scandinavian Journal of Statistics 6), in which
// each contrast keeps a boundary of its own and what is settled leaves its share of alpha to
// the others (Maurer and Bretz 2013, Statistics in Biopharmaceutical Research 5). Intervals
// are repeated confidence intervals (Jennison and Turnbull 1989, Journal of the Royal
// Statistical Society B 51) at Bonferroni's share.
type Family struct {
	alpha     float64
	weights   []float64 // of each contrast in alpha
	spend     Spending
	contrasts []*monitored
}

// monitored is one contrast with its looks.
type monitored struct {
	evidence Evidence // of the last look
	deviate  float64
	side     Side
	times    []float64             // shares of the information
	ended    bool                  // the last look spends all
	level    float64               // that it was settled at
	limits   map[float64]*boundary // by level
}

// NewFamily watches contrasts, of each of which the weight in alpha is given, with one
// error rate alpha. With equal weights it is Holm's procedure as it is mostly told.
func NewFamily(weights []float64, alpha float64, spend Spending) *Family {
	f := &Family{alpha: alpha, weights: weights, spend: spend}
	for range weights {
		f.contrasts = append(f.contrasts, &monitored{side: Open, limits: map[float64]*boundary{}})
	}
	return f
}

// Level is at which alpha a contrast is tested: its weight's share among those that are
// open, or for one that is settled what it was settled at.
func (f *Family) Level(i int) float64 {
	if f.contrasts[i].side != Open {
		return f.contrasts[i].level
	}
	sum := 0.0
	for k, m := range f.contrasts {
		if m.side == Open {
			sum += f.weights[k]
		}
	}
	return f.alpha * f.weights[i] / sum
}

// leastStep is by how much the share of the information must have grown for a look to
// count. Smaller ones show nothing more and cost some of alpha's use.
const leastStep = 0.02

// LeastFreedom is below how many degrees of freedom a look counts for nothing: the joint
// distribution of looks takes variances for known (Jennison and Turnbull 2000, section 11.5).
const LeastFreedom = 3

// Look takes the evidence of every contrast, in their order, and settles what it shows.
// That a look is the last one, which may use up what is left of alpha, must not be said
// for what the data show: that a budget is spent is such a reason. It is no error to look
// on all the same; later looks then show nothing.
func (f *Family) Look(all []Evidence, last bool) {
	var looked []int
	for i, e := range all {
		m := f.contrasts[i]
		switch {
		case m.side != Open || m.ended:
			continue
		case m.counts(e, last):
			m.evidence, m.deviate = e, deviate(e)
			m.times = append(m.times, min(1, e.Share))
		case last && len(m.times) > 0: // it knows no more than when it was looked at last, which becomes its last look
			m.limits = map[float64]*boundary{}
		default:
			continue
		}
		m.ended = last
		looked = append(looked, i)
	}
	for f.settleOne(looked) {
	}
}

// counts reports whether evidence is enough, and enough more, for a look.
func (m *monitored) counts(e Evidence, last bool) bool {
	if !(e.StandardError > 0) || !(e.Freedom >= LeastFreedom) || !(e.Share > 0) || math.IsNaN(e.Value) {
		return false
	}
	before := 0.0
	if len(m.times) > 0 {
		before = m.times[len(m.times)-1]
	}
	grown := min(1, e.Share) - before
	return grown >= leastStep || grown > leastStep/10 && (last || e.Share >= 1)
}

// settleOne settles a contrast that reaches its limit at Holm's present step; false where
// none does.
func (f *Family) settleOne(looked []int) bool {
	for _, i := range looked {
		m, level := f.contrasts[i], f.Level(i)
		if m.side != Open || !f.reaches(m, level) {
			continue
		}
		m.level = level
		if m.side = Above; m.deviate < 0 {
			m.side = Below
		}
		return true
	}
	return false
}

// reaches reports whether a contrast reached its limit at a level. No limit lies within
// that of a single look, which is known at once.
func (f *Family) reaches(m *monitored, level float64) bool {
	z := math.Abs(m.deviate)
	return z >= -distuv.UnitNormal.Quantile(level/2) && z >= f.limit(m, level)
}

// limit is that of the last look of a contrast at a level.
func (f *Family) limit(m *monitored, level float64) float64 {
	b := m.limits[level]
	if b == nil {
		b = &boundary{}
		m.limits[level] = b
	}
	for b.looks < len(m.times) {
		time, spend := m.times[b.looks], f.spend(level, m.times[b.looks])
		if m.ended && b.looks == len(m.times)-1 {
			spend = level
		}
		b.look(time, spend)
	}
	return b.last
}

// Sides says where the contrasts are shown to lie.
func (f *Family) Sides() []Side {
	out := make([]Side, len(f.contrasts))
	for i, m := range f.contrasts {
		out[i] = m.side
	}
	return out
}

// Standings says what the looks so far tell of the contrasts.
func (f *Family) Standings() []Standing {
	out := make([]Standing, len(f.contrasts))
	for i := range f.contrasts {
		out[i] = f.describe(i)
	}
	return out
}

// describe is the standing of a contrast. Its interval is at Bonferroni's share, and where
// Holm settled what that leaves open, up to 0.
func (f *Family) describe(i int) Standing {
	m := f.contrasts[i]
	s := Standing{Evidence: m.evidence, Side: m.side, Looks: len(m.times), Level: f.Level(i), Limit: math.Inf(1), Deviate: m.deviate}
	if s.Looks == 0 {
		return s
	}
	s.Limit = f.limit(m, s.Level)
	limit := f.limit(m, f.alpha*f.weights[i]/floats.Sum(f.weights))
	if math.IsInf(limit, 1) {
		return s
	}
	half := s.StandardError * studentised(limit, s.Freedom)
	s.Interval = stats.Interval{Low: s.Value - half, High: s.Value + half, Level: 1 - f.alpha}
	switch s.Side {
	case Above:
		s.Interval.Low = max(0, s.Interval.Low)
	case Below:
		s.Interval.High = min(0, s.Interval.High)
	}
	return s
}

// deviate is the normal deviate with the p-value of a t.
func deviate(e Evidence) float64 { return stats.NormalScore(e.Value/e.StandardError, e.Freedom) }

// studentised is the t with the p-value of a normal deviate.
func studentised(z, freedom float64) float64 {
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(distuv.UnitNormal.CDF(-z))
}
