package stats_test

import (
	"math"
	"testing"

	"infbench/metrics/stats"
)

// Expected values from numpy (mean over ddof=1 deviation; mean sign of all differences).
func TestEffectSizes(t *testing.T) {
	near(t, "d_z", value(t, "d_z", stats.CohenDz(baseline, system)), 0.8207634827468739, 1e-12)
	for _, c := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"ten topics", baseline, system, 0.11},
		{"all above", []float64{1, 2}, []float64{3, 4, math.Inf(1)}, 1},
		{"all below", []float64{3}, []float64{1, math.Inf(-1)}, -1},
		{"ties", []float64{1, 1}, []float64{1}, 0},
	} {
		near(t, "delta of "+c.name, value(t, c.name, stats.CliffDelta(c.a, c.b)), c.want, 1e-12)
	}
}

func TestEffectSizesUndefined(t *testing.T) {
	for name, got := range map[string]stats.Number{
		"d_z of one pair":        stats.CohenDz([]float64{1}, []float64{2}),
		"d_z of identical":       stats.CohenDz(baseline, baseline),
		"d_z of unequal lengths": stats.CohenDz(zeros(2), zeros(3)),
		"delta of nothing":       stats.CliffDelta(nil, baseline),
		"delta of NaN":           stats.CliffDelta([]float64{math.NaN()}, baseline),
	} {
		if _, ok := got.Get(); ok {
			t.Errorf("%s = %v, want undefined", name, got)
		}
	}
}
