package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// RecentCommits is how many commits of a history tell how the runs of a system vary that
// each commit runs once.
const RecentCommits = 5

// What is left of RecentCommits values of variance 1 beside the best of a level, a step
// before the last of them and a drift: the mean, and the freedom of a χ² with as much
// spread, rounded down. Drawn by TestRecentNull, from normal values.
const (
	recentLeft    = 2.08
	recentFreedom = 2
)

// standsOut is how many times a change between neighbours is larger than those that seeds
// make. Of normal values that do not change two of four are that much larger than the
// others in one case of 20.
const standsOut = 6

// Recent is the last values of a history, in the order of their commits, each the mean of
// so many runs.
type Recent struct{ Values, Runs [RecentCommits]float64 }

// Replicates measures how single runs vary. A step or a drift among the values is no noise,
// and would hide the next: the best one is taken out, and what that takes of the noise is
// put back. A step with the last value is not looked for: that it is a lucky run is as
// likely, by what one system tells (see Last). ok is false where there were two changes at
// least, of which one would stay.
func (r Recent) Replicates() (out Replicates, ok bool) {
	var by []float64 // how far from the one before
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

// Earlier measures how single runs vary by the values before the last, which are of one
// level.
func (r Recent) Earlier() Replicates {
	last := len(r.Values) - 1
	mean, squares := stat.Mean(r.Values[:last], r.Runs[:last]), 0.0
	for i, v := range r.Values[:last] {
		squares += r.Runs[i] * (v - mean) * (v - mean)
	}
	return Replicates{Runs: last, Variance: squares / float64(last-1)}
}

// Last is the two-sided p-value of the last value being of the level of those before, by
// how runs vary.
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
