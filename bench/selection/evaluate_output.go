package selection

import (
	"infbench/bench/results"
)

// SameScoring says whether two values belong to one mean.
func SameScoring(a, b results.Result) bool {
	return a.Benchmark == b.Benchmark && a.Task == b.Task && a.Side == b.Side && a.Measure == b.Measure
}

// MeanOf is the mean of the n values that are defined; of none it is 0.
func MeanOf(values []results.Result) (mean float64, n int) {
	sum := 0.0
	for _, r := range values {
		if r.Value != nil {
			sum += *r.Value
			n++
		}
	}
	return sum / float64(max(n, 1)), n
}
