package adaptive

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"infbench/metrics/stats"
)

// Side is the decision about the sign of a contrast.
type Side string

// The sides.
const (
	Open  Side = "open" // no sign shown
	Above Side = "above"
	Below Side = "below"
)

// Evidence is the data of one look at a contrast.
type Evidence struct {
	Value         float64
	StandardError float64
	Freedom       float64 // degrees of freedom of its t; below LeastFreedom the look does not count
	Share         float64 // share of the total information: the variance with all of it, divided by the present variance
}

// Standing is the state of a contrast after the looks so far.
type Standing struct {
	Evidence                // evidence of the last look that counted, or of the one that settled the contrast
	Side     Side           // once Above or Below, final
	Looks    int            // looks that counted
	Level    float64        // the alpha of the contrast's test now, or when it was settled
	Limit    float64        // the limit of the deviate at that look, +Inf if nothing could be shown
	Deviate  float64        // normal deviate with the p-value of the t
	Interval stats.Interval // interval of the value; the intervals of all contrasts at all looks are simultaneous
}

// Family is a set of contrasts that are monitored together with one error rate: alpha
// spending with exact boundaries, and Holm's procedure over the contrasts.
//
// The guarantee: over all contrasts and all looks, the probability of any wrong verdict is at
// most alpha. A verdict is wrong if it puts a contrast on the wrong side of zero, or on
// either side when the contrast is zero. This holds at whatever look the experiment ends,
// also if it ends for reasons in the data. The intervals of all looks hold simultaneously
// with probability 1 - alpha. The guarantee needs this: at its looks, the estimates of a
// contrast are jointly normal, as in a linear model to which data are added, Cov(estimate i,
// estimate j) = Var(estimate j) for i before j (the canonical joint distribution; Jennison
// and Turnbull 1997, Journal of the American Statistical Association 92). The data to add may
// be chosen by variances and by the set of settled contrasts, but not by the estimates of
// open ones. Variances are estimated: an estimate is scored by the normal deviate with the
// p-value of its t, the significance level approach (Jennison and Turnbull 2000, Group
// Sequential Methods, section 3.8).
//
// The alpha that a look may use follows from its share of the information (Lan and DeMets
// 1983, Biometrika 70), so neither the number of looks nor their times must be known
// beforehand. Boundaries are found by recursive integration (Armitage, McPherson and Rowe
// 1969, Journal of the Royal Statistical Society A 132). Over contrasts the procedure is
// Holm's with weights (1979, Scandinavian Journal of Statistics 6): each contrast keeps its
// own boundary, and a settled contrast passes its share of alpha to the others (Maurer and
// Bretz 2013, Statistics in Biopharmaceutical Research 5). Intervals are repeated confidence
// intervals (Jennison and Turnbull 1989, Journal of the Royal Statistical Society B 51) at
// Bonferroni's share.
type Family struct {
	alpha     float64
	weights   []float64 // weight of each contrast in alpha
	spend     Spending
	contrasts []*monitored
}

// monitored is one contrast with its looks.
type monitored struct {
	evidence Evidence // evidence of the last look
	deviate  float64
	side     Side
	times    []float64             // shares of the information
	ended    bool                  // the last look spends the remaining alpha
	level    float64               // the alpha when it was settled
	limits   map[float64]*boundary // by level
}

// NewFamily returns a family of contrasts with the error rate alpha. weights are the weights
// of the contrasts in alpha; equal weights give the usual form of Holm's procedure.
func NewFamily(weights []float64, alpha float64, spend Spending) *Family {
	f := &Family{alpha: alpha, weights: weights, spend: spend}
	for range weights {
		f.contrasts = append(f.contrasts, &monitored{side: Open, limits: map[float64]*boundary{}})
	}
	return f
}

// Level returns the alpha at which contrast i is tested: the share of its weight among the
// open contrasts, or the alpha when it was settled.
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

// leastStep is the least increase of the share of the information for a look to count.
// Smaller steps show nothing more and cost alpha.
const leastStep = 0.02

// LeastFreedom is the least number of degrees of freedom for a look to count: the joint
// distribution of looks treats variances as known (Jennison and Turnbull 2000, section 11.5).
const LeastFreedom = 3

// Look takes the evidence of every contrast, in their order, and settles the contrasts that
// reach their limit. last marks the final look, which may use the rest of alpha. The reason
// for ending must not be the data; a spent budget is a valid reason. Further looks are
// allowed, but show nothing.
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
		case last && len(m.times) > 0: // no more information than at the previous look, which becomes the last look
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

// counts reports whether the evidence is enough, and enough more than before, for a look.
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

// settleOne settles a contrast that reaches its limit at Holm's present step; it returns
// false if none does.
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

// reaches reports whether a contrast reached its limit at a level. No limit is below that of
// a single look, which is cheap to check first.
func (f *Family) reaches(m *monitored, level float64) bool {
	z := math.Abs(m.deviate)
	return z >= -distuv.UnitNormal.Quantile(level/2) && z >= f.limit(m, level)
}

// limit returns the limit of a contrast's last look at a level.
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

// Sides returns the decisions about the contrasts.
func (f *Family) Sides() []Side {
	out := make([]Side, len(f.contrasts))
	for i, m := range f.contrasts {
		out[i] = m.side
	}
	return out
}

// Standings returns the states of the contrasts after the looks so far.
func (f *Family) Standings() []Standing {
	out := make([]Standing, len(f.contrasts))
	for i := range f.contrasts {
		out[i] = f.describe(i)
	}
	return out
}

// describe returns the standing of a contrast. Its interval is at Bonferroni's share. If
// Holm's procedure settled a contrast whose interval still includes the other side, the
// interval is cut at 0.
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

// deviate returns the normal deviate with the p-value of a t.
func deviate(e Evidence) float64 { return stats.NormalScore(e.Value/e.StandardError, e.Freedom) }

// studentised returns the t with the p-value of a normal deviate.
func studentised(z, freedom float64) float64 {
	return -distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(distuv.UnitNormal.CDF(-z))
}
