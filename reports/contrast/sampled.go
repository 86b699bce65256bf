package contrast

import (
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Sampled is the variance that queries, which are a sample, bring into the difference of
// two systems, beyond what the runs of each do query by query, with its degrees of
// freedom; 0 where they cannot be told, as of means without their queries.
func Sampled(a, b *scores.System, on scores.Number) (variance, freedom float64) {
	if a.Aggregated(on) || b.Aggregated(on) {
		return 0, 0
	}
	found, whole := align([]valuer{a.PerQuery, b.PerQuery}, on)
	if !whole {
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
