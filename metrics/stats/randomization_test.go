package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

func TestRandomizationExact(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   []float64
		want   float64
		source string
	}{
		{"ten topics", baseline, system, 0.0390625, "scipy 1.10 permutation_test"},
		{"darwin", zeros(15), darwin, 1726.0 / 32768, "Fisher 1935, section 21: 863 of 32768 on each side"},
		{"one pair", []float64{0}, []float64{1}, 1, "by hand: both signs are as extreme"},
		{"three alike", zeros(3), []float64{1, 1, 1}, 0.25, "by hand: 2 of 8"},
		{"identical", baseline, baseline, 1, "spec: identical vectors"},
	} {
		got, err := stats.Randomization(c.a, c.b, 1<<15, 1)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got.Method != "exact" || got.P != c.want || got.N != len(c.a) {
			t.Errorf("%s: %+v; want exact p = %v (%s)", c.name, got, c.want, c.source)
		}
	}
}

// The Monte Carlo p is within four standard errors of the exact one, and the same for the
// same seed.
func TestRandomizationMonteCarlo(t *testing.T) {
	const draws = 10_000
	exact := 1726.0 / 32768
	got, err := stats.Randomization(zeros(15), darwin, draws, 7)
	if err != nil {
		t.Fatal(err)
	}
	if se := math.Sqrt(exact * (1 - exact) / draws); math.Abs(got.P-exact) > 4*se {
		t.Errorf("p = %v, exact %v, standard error %v", got.P, exact, se)
	}
	if got.Method != "monte carlo 10000" {
		t.Errorf("method = %q", got.Method)
	}
	again, err := stats.Randomization(zeros(15), darwin, draws, 7)
	if err != nil || again != got {
		t.Errorf("same seed: %+v then %+v, %v", got, again, err)
	}
	other, err := stats.Randomization(zeros(15), darwin, draws, 8)
	if err != nil || other.P == got.P {
		t.Errorf("seeds 7 and 8 both give p = %v, %v", got.P, err)
	}
}

// A constant difference over many topics is never reached by a drawn pattern, but its p is
// not 0.
func TestRandomizationNeverZero(t *testing.T) {
	b := zeros(200)
	for i := range b {
		b[i] = 0.5
	}
	got, err := stats.Randomization(zeros(200), b, 999, 1)
	if err != nil || got.P != 1.0/1000 {
		t.Errorf("p = %v, %v; want 1/1000", got.P, err)
	}
}

func TestPairedRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
	}{
		{"unequal lengths", zeros(2), zeros(3)},
		{"no pairs", nil, nil},
		{"NaN", []float64{0, math.NaN()}, zeros(2)},
		{"infinite", []float64{0, math.Inf(1)}, zeros(2)},
	} {
		if got, err := stats.Randomization(c.a, c.b, 100, 1); err == nil {
			t.Errorf("%s: no error, %+v", c.name, got)
		}
	}
	if _, err := stats.Randomization(baseline, system, 0, 1); err == nil {
		t.Error("0 permutations: no error")
	}
}

// Under the null hypothesis p is uniform: about a share α of the tests has p ≤ α.
func TestRandomizationUniformUnderNull(t *testing.T) {
	const tests, topics = 1000, 25
	r := rand.New(rand.NewPCG(1, 2))
	at := map[float64]int{0.05: 0, 0.25: 0, 0.5: 0, 0.75: 0}
	for range tests {
		a, b := make([]float64, topics), make([]float64, topics)
		for i := range a {
			topic := r.Float64() // shared difficulty: the pairing matters
			a[i], b[i] = topic+0.1*r.NormFloat64(), topic+0.1*r.NormFloat64()
		}
		got, err := stats.Randomization(a, b, 999, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		for level := range at {
			if got.P <= level {
				at[level]++
			}
		}
	}
	for level, count := range at {
		want, se := level*tests, math.Sqrt(tests*level*(1-level))
		if math.Abs(float64(count)-want) > 4*se {
			t.Errorf("p <= %v in %d of %d tests, want %v ± %.0f", level, count, tests, want, 4*se)
		}
	}
}

func BenchmarkRandomization(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	for b.Loop() {
		if _, err := stats.Randomization(x, y, 10_000, 1); err != nil {
			b.Fatal(err)
		}
	}
}
