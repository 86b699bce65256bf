package contrast

import (
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Sampled returns the part of the variance of two systems' difference that comes from the
// sample of queries, in addition to the per-query variance of runs, with its degrees of
// freedom. It returns 0 if they cannot be determined, for example for means without
// per-query values.
func Sampled(a, b *scores.System, on scores.Number) (variance, freedom float64) {
	if a.Aggregated(on) || b.Aggregated(on) {
		return 0, 0
	}
	found, complete := align([]valuer{a.PerQuery, b.PerQuery}, on)
	if !complete {
		return 0, 0
	}
	e, ok := found.Contrast(stats.Term{Coefficient: -1, Values: found.values[0]}, stats.Term{Coefficient: 1, Values: found.values[1]})
	if !ok {
		return 0, 0
	}
	variance = e.StandardError * e.StandardError
	for _, s := range []*scores.System{a, b} {
		if r, runs := replicates(s, on, on.Strata()); runs > 1 {
			variance -= r.Interaction / float64(runs)
		}
	}
	return max(0, variance), e.Freedom
}
