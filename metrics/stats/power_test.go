package stats_test

import (
	"math"
	"testing"

	"infbench/metrics/stats"
)

// shiftOf returns the mean difference over n topics with effect size dz, in standard errors.
func shiftOf(dz float64, n int) float64 { return dz * math.Sqrt(float64(n)) }

// Expected values from statsmodels 0.13.5 TTestPower.power; the last from G*Power 3.1, paired
// t test, dz 0.5, n 34.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		dz   float64
		n    int
		want float64
	}{
		{0.3, 52, 0.564574454865953},
		{0.5, 32, 0.7822760116541025},
		{0.2, 20, 0.135956288767378},
		{0.8, 10, 0.6162327634936938},
		{0, 10, 0.05}, // no effect: the rate of false claims
		{0.5, 34, 0.8077775},
	} {
		tol := 1e-8
		if c.n == 34 {
			tol = 1e-7 // as printed
		}
		near(t, "power", value(t, "power", stats.Power(shiftOf(c.dz, c.n), float64(c.n-1), 0.05)), c.want, tol)
		near(t, "power of -dz", value(t, "power", stats.Power(-shiftOf(c.dz, c.n), float64(c.n-1), 0.05)), c.want, tol)
	}
	for name, p := range map[string]stats.Number{
		"one topic": stats.Power(1, 0, 0.05), "alpha 0": stats.Power(1, 9, 0), "no difference": stats.Power(math.NaN(), 9, 0.05),
	} {
		if _, ok := p.Get(); ok {
			t.Errorf("%s: power is defined", name)
		}
	}
}

// TestSmallestHasPower: at the smallest difference the power reaches its target, to the
// precision of the bisection, for few degrees of freedom and many.
func TestSmallestHasPower(t *testing.T) {
	for _, nu := range []float64{1, 2, 3.7, 19, 200} {
		for _, alpha := range []float64{.05, 1e-6} {
			for _, power := range []float64{.1, .8, .99} {
				v, ok := stats.Estimate{StandardError: 1, Freedom: nu}.Smallest(power, alpha).Get()
				reached, _ := stats.Power(v, nu, alpha).Get()
				short, _ := stats.Power(v*(1-2e-10), nu, alpha).Get()
				if !ok || reached < power || short >= power {
					t.Errorf("power %v, %v degrees of freedom, level %v: %v has %v, less %v", power, nu, alpha, v, reached, short)
				}
			}
		}
	}
}
