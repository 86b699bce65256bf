package diversity_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/diversity"
	"infbench/metrics/stats"
)

func near(t *testing.T, what string, n stats.Number, want, tol float64) {
	t.Helper()
	if got, ok := n.Get(); !ok || math.Abs(got-want) > tol {
		t.Errorf("%s = %v, want %v", what, n.Format(12), want)
	}
}

// add adds all vectors and returns their mean cosines to the others.
func add(t testing.TB, vectors [][]float64) (*diversity.APS, []float64) {
	t.Helper()
	var a diversity.APS
	for _, v := range vectors {
		if err := a.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	var others []float64
	for _, v := range vectors {
		o, err := a.ToOthers(v)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, o)
	}
	return &a, others
}

// normal returns n vectors of d normal values around shift.
func normal(n, d int, shift float64, seed uint64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	vectors := make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, d)
		for j := range vectors[i] {
			vectors[i][j] = shift + r.NormFloat64()
		}
	}
	return vectors
}

// cosine is the textbook formula.
func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

func TestAPS(t *testing.T) {
	// Expected: mean of the upper triangle of scikit-learn's cosine_similarity.
	a, _ := add(t, [][]float64{
		{2.54, -2.06, 0.92, -0.07}, {0.05, 0.28, -1.52, 0.27}, {-0.37, 3.82, 0.73, 0.15},
		{0.22, -0.17, -0.56, 0.11}, {0.98, 0.26, 1.46, 0.3}, {0.52, 2.05, 1.05, -0.01},
	})
	near(t, "aps", a.Value(), -0.026949422488195193, 1e-12)
	same, _ := add(t, [][]float64{{1, 2}, {2, 4}, {0.5, 1}})
	near(t, "aps of one direction", same.Value(), 1, 1e-12)
	opposed, _ := add(t, [][]float64{{1, 2}, {-2, -4}})
	near(t, "aps of two opposed", opposed.Value(), -1, 1e-12)
}

// The sum gives the same value as all pairs, and the mean similarities to the others average
// to it.
func TestAPSIsMeanOverPairs(t *testing.T) {
	for n := 2; n < 12; n++ {
		vectors := normal(n, 5, 0.3, uint64(n))
		a, others := add(t, vectors)
		var pairs, mean float64
		for i, v := range vectors {
			mean += others[i] / float64(n)
			for _, w := range vectors[:i] {
				pairs += cosine(v, w)
			}
		}
		near(t, "aps", a.Value(), pairs/float64(n*(n-1)/2), 1e-12)
		near(t, "aps from the others", a.Value(), mean, 1e-12)
	}
}

func TestAPSRefusals(t *testing.T) {
	var a diversity.APS
	if _, ok := a.Value().Get(); ok {
		t.Error("aps of nothing is defined")
	}
	if err := a.Add([]float64{3, 4}); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Value().Get(); ok {
		t.Error("aps of one vector is defined")
	}
	if _, err := a.ToOthers([]float64{3, 4}); err == nil {
		t.Error("similarity of one vector to others: no error")
	}
	if err := a.Add([]float64{0, 0}); !errors.Is(err, diversity.ErrZeroVector) {
		t.Errorf("zero vector: %v", err)
	}
	for _, v := range [][]float64{{1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if a.Add(v) == nil {
			t.Errorf("%v: no error", v)
		}
	}
	if a.N() != 1 {
		t.Errorf("n = %d after refusals, want 1", a.N())
	}
}

// The interval from the projection agrees with the one from resampling vectors and averaging
// over pairs of different ones, and contains the value.
func TestAPSInterval(t *testing.T) {
	vectors := normal(60, 6, 0.5, 1)
	a, others := add(t, vectors)
	got := a.Interval(others, 0.9, 2000, 1)
	want := stats.Bootstrap{Level: 0.9, Resamples: 2000, Seed: 2}.Percentile(len(vectors), func(index []int) (float64, bool) {
		var sum, pairs float64
		for i, x := range index {
			for _, y := range index[:i] {
				if x != y {
					sum += cosine(vectors[x], vectors[y])
					pairs++
				}
			}
		}
		return sum / pairs, pairs > 0
	})
	value, _ := a.Value().Get()
	width := want.High - want.Low
	if !got.Contains(value) || math.Abs(got.Low-want.Low) > width/10 || math.Abs(got.High-want.High) > width/10 {
		t.Errorf("interval %v of %v, by pairs %v", got, value, want)
	}
	if _, _, ok := a.Interval(nil, 0.9, 2000, 1).Get(); ok {
		t.Error("interval of nothing is defined")
	}
}

// A 90% interval covers the population's APS about 90% of the time.
func TestAPSIntervalCovers(t *testing.T) {
	const trials = 300
	large, _ := add(t, normal(20_000, 4, 0.5, 99))
	truth, _ := large.Value().Get()
	covered := 0
	for i := range uint64(trials) {
		a, others := add(t, normal(50, 4, 0.5, i))
		if a.Interval(others, 0.9, 300, i).Contains(truth) {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.83 || share > 0.96 {
		t.Errorf("90%% intervals cover %.3f of the time", share)
	}
}

func BenchmarkAPS(b *testing.B) {
	vectors := normal(2000, 768, 0.1, 1)
	for b.Loop() {
		a, others := add(b, vectors)
		a.Interval(others, 0.95, 1000, 1)
	}
}
