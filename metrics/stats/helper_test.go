package stats_test

import (
	"math"
	"testing"

	"infbench/metrics/stats"
)

// near fails unless got is within tol of want, relative to want where |want| > 1.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol*max(1, math.Abs(want)) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// value unwraps a Number that must be defined.
func value(t *testing.T, what string, n stats.Number) float64 {
	t.Helper()
	v, ok := n.Get()
	if !ok {
		t.Fatalf("%s is undefined", what)
	}
	return v
}

// Ten topics with values of a baseline and a system; one difference is zero.
var (
	baseline = []float64{0.35, 0.12, 0.60, 0.44, 0.81, 0.05, 0.27, 0.73, 0.50, 0.19}
	system   = []float64{0.41, 0.10, 0.66, 0.58, 0.83, 0.05, 0.40, 0.70, 0.61, 0.22}
)

// darwin holds the differences in height, in eighths of an inch, of Darwin's 15
// pairs of cross- and self-fertilised plants (Fisher 1935, the first
// randomisation test).
var darwin = []float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}

func zeros(n int) []float64 { return make([]float64, n) }
