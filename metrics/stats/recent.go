package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// RecentCommits is the number of commits of a history from which the run variance of a system
// is estimated, if each commit runs it once.
const RecentCommits = 5

// Residual of RecentCommits values with variance 1 after fitting the best of a level, a step
// before the last value and a drift: its mean, and the degrees of freedom of a χ² with the
// same spread, rounded down. Drawn from normal values by TestRecentNull.
const (
	recentLeft    = 2.08
	recentFreedom = 2
)

// standsOut is the ratio above which a change between neighbours is larger than changes by
// seeds. For normal values without a change, two of four changes are larger than the others
// by this ratio in one case of 20.
const standsOut = 6

// Recent holds the last values of a history, in the order of their commits, and the number of
// runs of each.
type Recent struct{ Values, Runs [RecentCommits]float64 }

// Replicates estimates the variance of single runs. A step or a drift among the values is not
// noise, and would hide the next one. So the best-fitting change is removed, and the noise
// that this removes is added back. A step at the last value is not searched: with one system
// a lucky run is equally likely (see Last). ok is false if there were at least two changes,
// because one of them would remain.
func (r Recent) Replicates() (out Replicates, ok bool) {
	var by []float64 // distance from the value before
	for i := range r.Values[1:] {
		by = append(by, math.Abs(r.Values[i+1]-r.Values[i]))
	}
	slices.Sort(by)
	if by[2] > standsOut*by[1] {
		return out, false
	}
	last := len(r.Values) - 1
	left := fit(r.Values[:], r.Runs[:], way{0, last}).left
	for from := range last - 1 {
		left = min(left, fit(r.Values[:], r.Runs[:], way{from, from + 1}).left)
	}
	return Replicates{Runs: recentFreedom + 1, Variance: left / recentLeft}, true
}

// Earlier estimates the variance of single runs from the values before the last, which have
// one level.
func (r Recent) Earlier() Replicates {
	last := len(r.Values) - 1
	mean, squares := stat.Mean(r.Values[:last], r.Runs[:last]), 0.0
	for i, v := range r.Values[:last] {
		squares += r.Runs[i] * (v - mean) * (v - mean)
	}
	return Replicates{Runs: last, Variance: squares / float64(last-1)}
}

// Last returns the two-sided p-value of the hypothesis that the last value has the level of
// those before, given the variance of runs.
func (r Recent) Last(s Seeds) float64 {
	last := len(r.Values) - 1
	before := floats.Sum(r.Runs[:last])
	off := r.Values[last] - stat.Mean(r.Values[:last], r.Runs[:last])
	t := standardised(off, s.Variance*(1/before+1/r.Runs[last]))
	if math.IsInf(t, 0) {
		return 0
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: s.Freedom}.CDF(-math.Abs(t))
}
