package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// at returns the Statistic f of darwin's resample.
func at(f func(x []float64) float64) stats.Statistic {
	return func(index []int) (float64, bool) {
		x := make([]float64, len(index))
		for i, j := range index {
			x[i] = darwin[j]
		}
		return f(x), true
	}
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func deviation(x []float64) float64 {
	m, squares := mean(x), 0.0
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	return math.Sqrt(squares / float64(len(x)))
}

// Expected values from scipy 1.10 stats.bootstrap with 200,000 resamples; the tolerance is
// the difference between two seeds with 20,000 resamples.
func TestBootstrapAgainstScipy(t *testing.T) {
	b := stats.Bootstrap{Level: 0.95, Resamples: 20_000, Seed: 3}
	for _, c := range []struct {
		name      string
		got       stats.Interval
		low, high float64
	}{
		{"percentile of the mean", b.Percentile(15, at(mean)), 1.3333, 38.1333},
		{"BCa of the mean", b.BCa(15, at(mean)), -1.6, 36.3333},
		{"BCa of the deviation", b.BCa(15, at(deviation)), 21.7746, 52.7894},
	} {
		if math.Abs(c.got.Low-c.low) > 0.7 || math.Abs(c.got.High-c.high) > 0.7 {
			t.Errorf("%s = %v, want [%v, %v]", c.name, c.got, c.low, c.high)
		}
	}
}

// BootstrapMean computes the jackknife by a shortcut, which agrees with BCa.
func TestBootstrapMeanIsBCa(t *testing.T) {
	got := stats.BootstrapMean(darwin, 0.9, 2000, 5)
	want := stats.Bootstrap{Level: 0.9, Resamples: 2000, Seed: 5}.BCa(15, at(mean))
	near(t, "low", got.Low, want.Low, 1e-9)
	near(t, "high", got.High, want.High, 1e-9)
	if got != stats.BootstrapMean(darwin, 0.9, 2000, 5) {
		t.Error("the same seed gave two intervals")
	}
}

func TestBootstrapDegenerate(t *testing.T) {
	for name, got := range map[string]stats.Interval{
		"no value":                  stats.BootstrapMean(nil, 0.95, 100, 1),
		"one value":                 stats.BootstrapMean([]float64{1}, 0.95, 100, 1),
		"NaN":                       stats.BootstrapMean([]float64{1, math.NaN()}, 0.95, 100, 1),
		"no resamples":              stats.BootstrapMean(darwin, 0.95, 0, 1),
		"level 1":                   stats.BootstrapMean(darwin, 1, 100, 1),
		"never defined":             stats.Bootstrap{Level: 0.95, Resamples: 100}.Percentile(5, func([]int) (float64, bool) { return 0, false }),
		"complete sample undefined": stats.Bootstrap{Level: 0.95, Resamples: 100}.BCa(5, func([]int) (float64, bool) { return 0, false }),
	} {
		if _, _, ok := got.Get(); ok || got.String() != stats.Undefined {
			t.Errorf("%s: %v, want undefined", name, got)
		}
	}
	if got, want := stats.BootstrapMean([]float64{2, 2, 2}, 0.95, 100, 1), (stats.Interval{Low: 2, High: 2, Level: 0.95}); got != want {
		t.Errorf("equal values: %v, want %v", got, want)
	}
}

// A 90% BCa interval of a skewed mean covers the true value about 90% of the time (a
// bootstrap of 30 exponentials is known to cover slightly less).
func TestBootstrapMeanCovers(t *testing.T) {
	const trials = 600
	r := rand.New(rand.NewPCG(4, 2))
	covered := 0
	for range trials {
		x := make([]float64, 30)
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		if stats.BootstrapMean(x, 0.9, 400, r.Uint64()).Contains(1) {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.84 || share > 0.94 {
		t.Errorf("90%% intervals cover %.3f of the time", share)
	}
}
