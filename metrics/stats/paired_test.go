package stats_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// sixty is 60 normal values around 0.2, rounded; no ties, no zeros.
var sixty = []float64{
	0.326, 0.068, 0.84, 0.305, -0.336, 0.562, 1.504, 1.147, -0.504, -1.065, -0.423, 0.241, -2.125, -0.019, -1.046,
	-0.532, -0.344, -0.116, 0.612, 1.243, 0.071, 1.566, -0.465, 0.552, 1.103, 0.294, -0.543, -0.722, -0.258, 0.42,
	-0.81, -0.009, 0.041, 0.741, 0.415, 0.555, -0.454, 0.07, 0.984, 1.693, -1.059, 1.714, 1.546, 0.981, 0.464,
	-0.114, 1.658, 2.16, 2.002, 1.515, 0.557, -1.008, 0.196, 0.856, -1.088, 0.595, 0.63, 0.896, -0.984, -0.462,
}

// Expected values from scipy 1.10.1 ttest_rel and binomtest, scipy 1.17.1
// wilcoxon(correction=False) of the differences system minus baseline, rounded to 10
// decimals.
func TestPairedAgainstScipy(t *testing.T) {
	wilcoxon := func(zeros stats.Zeros) func(a, b []float64) (stats.Test, error) {
		return func(a, b []float64) (stats.Test, error) { return stats.Wilcoxon(a, b, zeros) }
	}
	tied := []float64{1, 1, 2, -2, 3, 4, -5, 6, 6, 7, 8}
	for _, c := range []struct {
		name         string
		test         func(a, b []float64) (stats.Test, error)
		a, b         []float64
		method       string
		statistic, p float64
	}{
		{"t", stats.T, baseline, system, "student", 2.5954820257724345, 0.028951971768777493},
		{"t darwin", stats.T, zeros(15), darwin, "student", 2.14798746133112, 0.049702944021800956},
		{"sign", stats.Sign, baseline, system, "exact", 7, 0.1796875},
		{"wilcoxon exact", wilcoxon(stats.DropZeros), zeros(6), []float64{0.5, 1.7, -2.1, 3.3, 4.9, -0.2}, "exact", 5, 0.3125},
		{"wilcoxon darwin", wilcoxon(stats.DropZeros), zeros(15), darwin, "exact", 24, 0.041259765625},
		{"wilcoxon sixty", wilcoxon(stats.DropZeros), zeros(60), sixty, "normal", 613.5, 0.026450632675246288},
		{"wilcoxon tied", wilcoxon(stats.DropZeros), zeros(11), tied, "exact", 10.5, 0.0439453125},
		{"wilcoxon drops zeros", wilcoxon(stats.DropZeros), baseline, system, "exact", 5, 0.0390625},
		{"wilcoxon pratt", wilcoxon(stats.RankZeros), baseline, system, "exact", 7, 0.046875},
		{"wilcoxon splits zeros", wilcoxon(stats.SplitZeros), baseline, system, "exact", 7.5, 0.046875},
	} {
		got, err := c.test(c.a, c.b)
		if err != nil {
			t.Fatal(c.name, err)
		}
		near(t, c.name+" statistic", value(t, c.name, got.Statistic), c.statistic, 1e-12)
		near(t, c.name+" p", got.P, c.p, 1e-9)
		if got.Method != c.method || got.N != len(c.a) {
			t.Errorf("%s: method %q n %d, want %q n %d", c.name, got.Method, got.N, c.method, len(c.a))
		}
	}
}

// Identical slices: p = 1 in every test. A constant difference that is not zero,
// here one that rounds unevenly: t infinite, p = 0.
func TestPairedDegenerate(t *testing.T) {
	for name, got := range allTests(t, baseline, baseline) {
		if got.P != 1 || got.MeanDifference != 0 {
			t.Errorf("%s of identical slices: %+v, want p = 1", name, got)
		}
	}
	a, b := []float64{0.1, 0.2, 0.3, 0.7}, []float64{0.0, 0.1, 0.2, 0.6}
	got, err := stats.T(a, b)
	if err != nil || got.P != 0 || !math.IsInf(value(t, "t", got.Statistic), -1) {
		t.Errorf("constant difference: %+v, %v; want t = -inf, p = 0", got, err)
	}
	if _, err := stats.T([]float64{1}, []float64{2}); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("t of one pair: %v, want ErrTooFew", err)
	}
}

// allTests runs every paired test.
func allTests(t *testing.T, a, b []float64) map[string]stats.Test {
	t.Helper()
	tests := make(map[string]stats.Test)
	add := func(got stats.Test, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		tests[got.Name] = got
	}
	add(stats.T(a, b))
	add(stats.Sign(a, b))
	add(stats.Wilcoxon(a, b, stats.DropZeros))
	add(stats.Randomization(a, b, 1000, 1))
	return tests
}

// Swapping the systems changes the sign and keeps p; p is in [0,1].
func TestPairedSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		a, b := make([]float64, 8), make([]float64, 8)
		for i := range a {
			a[i], b[i] = float64(r.IntN(4)), float64(r.IntN(4)) // ties and zeros occur
		}
		there, back := allTests(t, a, b), allTests(t, b, a)
		for name, x := range there {
			y := back[name]
			if x.MeanDifference != -y.MeanDifference || x.P < 0 || x.P > 1 {
				t.Errorf("%s: %+v and %+v", name, x, y)
			}
			near(t, name+" p swapped", y.P, x.P, 1e-12)
		}
	}
}
