package sequential

import (
	"math"

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
	Limit    float64        // which the deviate had to reach there, +Inf where nothing could be shown
	Deviate  float64        // normal, with the p-value of the t
	Interval stats.Interval // of the value; those of all contrasts at all looks hold together
}

// Family is contrasts that are looked at together, with one error rate.
type Family struct {
	alpha     float64
	spend     Spending
	contrasts []*monitored
}

// monitored is one contrast with its looks.
type monitored struct {
	evidence Evidence // of the last look
	deviate  float64
	side     Side
	times    []float64         // shares of the information
	ended    bool              // the last look spends all
	among    int               // how many were open when it was settled
	limits   map[int]*boundary // at alpha over so many
}

// NewFamily watches n contrasts with one error rate alpha.
func NewFamily(n int, alpha float64, spend Spending) *Family {
	f := &Family{alpha: alpha, spend: spend}
	for range n {
		f.contrasts = append(f.contrasts, &monitored{side: Open, among: 1, limits: map[int]*boundary{}})
	}
	return f
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
	var looked []*monitored
	for i, e := range all {
		if m := f.contrasts[i]; m.side == Open && m.counts(e, last) {
			m.evidence, m.deviate = e, deviate(e)
			m.times, m.ended = append(m.times, min(1, e.Share)), last
			looked = append(looked, m)
		}
	}
	for f.settleOne(looked) {
	}
}

// counts reports whether evidence is enough, and enough more, for a look.
func (m *monitored) counts(e Evidence, last bool) bool {
	if m.ended || !(e.StandardError > 0) || !(e.Freedom >= LeastFreedom) || !(e.Share > 0) || math.IsNaN(e.Value) {
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
func (f *Family) settleOne(looked []*monitored) bool {
	open := f.Unsettled()
	for _, m := range looked {
		if m.side != Open || !f.reaches(m, open) {
			continue
		}
		if m.side = Above; m.deviate < 0 {
			m.side = Below
		}
		m.among = open
		return true
	}
	return false
}

// reaches reports whether a contrast reached its limit at alpha over so many. No limit
// lies within that of a single look, which is known at once.
func (f *Family) reaches(m *monitored, among int) bool {
	z := math.Abs(m.deviate)
	return z >= -distuv.UnitNormal.Quantile(f.alpha/float64(2*among)) && z >= f.limit(m, among)
}

// Unsettled counts the contrasts that are open.
func (f *Family) Unsettled() (n int) {
	for _, m := range f.contrasts {
		if m.side == Open {
			n++
		}
	}
	return n
}

// limit is that of the last look of a contrast at alpha over so many.
func (f *Family) limit(m *monitored, among int) float64 {
	b := m.limits[among]
	if b == nil {
		b = &boundary{}
		m.limits[among] = b
	}
	level := f.alpha / float64(among)
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
	for i, m := range f.contrasts {
		out[i] = f.describe(m)
	}
	return out
}

// describe is the standing of a contrast. Its interval is at Bonferroni's share, and where
// Holm settled what that leaves open, up to 0.
func (f *Family) describe(m *monitored) Standing {
	s := Standing{Evidence: m.evidence, Side: m.side, Looks: len(m.times), Limit: math.Inf(1), Deviate: m.deviate}
	if s.Looks == 0 {
		return s
	}
	if s.Limit = f.limit(m, m.among); m.side == Open {
		s.Limit = f.limit(m, f.Unsettled())
	}
	limit := f.limit(m, len(f.contrasts))
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
