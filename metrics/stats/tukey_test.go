package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/stats"
)

// threeSystems is the layout of the two-way tests.
var threeSystems = [][]float64{
	baseline, system,
	{0.36, 0.15, 0.58, 0.49, 0.80, 0.07, 0.30, 0.75, 0.52, 0.20},
}

// Expected values from scipy 1.10.1 studentized_range.sf.
func TestStudentizedRange(t *testing.T) {
	for _, c := range []struct {
		q    float64
		k    int
		nu   float64
		want float64
	}{
		{3.5, 3, 10, 0.07710331083841038},
		{3.5, 3, 100, 0.03949546249376412},
		{1, 2, 5, 0.5110840804302805},
		{4.2, 5, 204, 0.027307424846872208},
		{10, 10, 3, 0.042959854292210276},
		{0.5, 8, 30, 0.9999581927080213},
		{30, 3, 1, 0.044970036755706655},
		{3, 4, 1, 0.48913169535279066},
		{5, 20, 1000, 0.052965240451883555},
		{0, 3, 10, 1},
		{math.Inf(1), 3, 10, 0},
	} {
		near(t, "studentized range", stats.StudentizedRange(c.q, c.k, c.nu), c.want, 1e-6)
	}
}

// Expected values: residual mean square from statsmodels anova_lm on y ~ system + topic, p
// from scipy studentized_range.sf.
func TestTukeyHSD(t *testing.T) {
	got, err := stats.TukeyHSD(threeSystems)
	if err != nil {
		t.Fatal(err)
	}
	want := []stats.Comparison{
		{A: 0, B: 1, P: 0.014034873965022676},
		{A: 0, B: 2, P: 0.5780435566647703},
		{A: 1, B: 2, P: 0.10697788219806126},
	}
	for i, w := range want {
		if got[i].A != w.A || got[i].B != w.B {
			t.Fatalf("pair %d = %+v", i, got[i])
		}
		near(t, "tukey p", got[i].P, w.P, 1e-8)
	}
	near(t, "mean difference", got[0].MeanDifference, 0.05, 1e-12)
}

func TestTukeyDegenerate(t *testing.T) {
	shifted := []float64{0.6, 0.7, 0.8}
	got, err := stats.TukeyHSD([][]float64{{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}, shifted})
	if err != nil || got[0].P != 1 || got[1].P != 0 {
		t.Errorf("identical and constant: %+v, %v; want p = 1 and 0", got, err)
	}
	for name, scores := range map[string][][]float64{
		"one system": {baseline},
		"one topic":  {{1}, {2}},
		"ragged":     {{1, 2}, {1, 2, 3}},
	} {
		if _, err := stats.TukeyHSD(scores); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := stats.RandomizedTukeyHSD(threeSystems, 0, 1); err == nil {
		t.Error("0 permutations: no error")
	}
}

// With two systems, shuffling within topics is flipping signs: the randomised Tukey p is the
// exact randomisation p except for Monte Carlo error.
func TestRandomizedTukeyOfTwoIsRandomization(t *testing.T) {
	const draws = 20_000
	got, err := stats.RandomizedTukeyHSD([][]float64{baseline, system}, draws, 1)
	if err != nil {
		t.Fatal(err)
	}
	exact := 0.0390625 // scipy permutation_test
	if se := math.Sqrt(exact * (1 - exact) / draws); math.Abs(got[0].P-exact) > 4*se {
		t.Errorf("p = %v, want %v ± %v", got[0].P, exact, 4*se)
	}
	identical, err := stats.RandomizedTukeyHSD([][]float64{baseline, baseline}, 100, 1)
	if err != nil || identical[0].P != 1 {
		t.Errorf("identical systems: %+v, %v; want p = 1", identical, err)
	}
}

// For five equal systems, some pair has p <= 0.05 in about 5% of experiments: the error rate
// is that of the family.
func TestRandomizedTukeyFamilyError(t *testing.T) {
	const trials = 400
	r := rand.New(rand.NewPCG(9, 9))
	claims := 0
	for range trials {
		scores := make([][]float64, 5)
		for i := range scores {
			scores[i] = make([]float64, 12)
			for j := range scores[i] {
				scores[i][j] = float64(j) + r.NormFloat64()
			}
		}
		pairs, err := stats.RandomizedTukeyHSD(scores, 199, r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		least := 1.0
		for _, p := range pairs {
			least = min(least, p.P)
		}
		if least <= 0.05 {
			claims++
		}
	}
	if se := math.Sqrt(trials * 0.05 * 0.95); math.Abs(float64(claims)-trials*0.05) > 4*se {
		t.Errorf("%d false claims in %d experiments, want %v ± %.0f", claims, trials, trials*0.05, 4*se)
	}
}
