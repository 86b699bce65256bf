package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: for 1, 2, 3 the mean is 2, s is 1 and t(2) at .975 is 4.302653, so half the width
// is 4.302653·√(4/3).
func TestPrediction(t *testing.T) {
	i := Prediction([]float64{1, 2, 3}, .95)
	half := 4.302652729911275 * math.Sqrt(4./3)
	if math.Abs(i.Low-(2-half)) > 1e-9 || math.Abs(i.High-(2+half)) > 1e-9 || i.Level != .95 {
		t.Errorf("%v, want 2 ± %v", i, half)
	}
	if _, _, ok := Prediction([]float64{1}, .95).Get(); ok {
		t.Error("one value has an interval")
	}
	if i := Prediction([]float64{2, 2, 2}, .95); i.Low != 2 || i.High != 2 {
		t.Errorf("equal values: %v", i)
	}
}

// A further value is in the interval with its stated probability, for any number of values,
// mean and spread. For 20,000 draws a share of .95 has a standard error of .0015; four of
// them are allowed.
func TestPredictionCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	const draws = 20_000
	for _, k := range []int{3, 5, 10} {
		for _, level := range []float64{.8, .95} {
			inside := 0
			for range draws {
				mean, spread := 10*rng.NormFloat64(), rng.ExpFloat64()
				x := make([]float64, k)
				for i := range x {
					x[i] = mean + spread*rng.NormFloat64()
				}
				if Prediction(x, level).Contains(mean + spread*rng.NormFloat64()) {
					inside++
				}
			}
			share, se := float64(inside)/draws, math.Sqrt(level*(1-level)/draws)
			if math.Abs(share-level) > 4*se {
				t.Errorf("%d values at %v: a further one is inside in %v of cases", k, level, share)
			}
		}
	}
}
