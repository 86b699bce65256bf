package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/stats"
)

// Expected values from statsmodels 0.13.5 multipletests.
func TestCorrections(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.005, 0.5, 0.04}
	for _, c := range []struct {
		name string
		want []float64
	}{
		{"holm", []float64{0.05, 0.12, 0.12, 0.03, 0.5, 0.12}},
		{"bonferroni", []float64{0.06, 0.24, 0.18, 0.03, 1, 0.24}},
		{"bh", []float64{0.03, 0.048, 0.048, 0.03, 0.5, 0.048}},
		{"none", p},
	} {
		correct, err := stats.ParseCorrection(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range correct(p) {
			near(t, c.name, got, c.want[i], 1e-12)
		}
	}
	if _, err := stats.ParseCorrection("homl"); err == nil || !strings.Contains(err.Error(), `"holm"`) {
		t.Errorf("unknown correction: %v", err)
	}
}

// Every correction keeps the order of p, lowers no p, and stays in [0,1]; Holm is never
// stricter than Bonferroni, nor BH than Holm.
func TestCorrectionProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p := make([]float64, r.IntN(8))
		for i := range p {
			p[i] = float64(r.IntN(20)) / 19 // ties occur
		}
		before := slices.Clone(p)
		holm, bonferroni, bh := stats.Holm(p), stats.Bonferroni(p), stats.BenjaminiHochberg(p)
		if !slices.Equal(p, before) {
			t.Fatal("input changed")
		}
		for i := range p {
			if !(p[i] <= bh[i]+1e-15 && bh[i] <= holm[i]+1e-15 && holm[i] <= bonferroni[i] && bonferroni[i] <= 1) {
				t.Fatalf("p %v: bh %v, holm %v, bonferroni %v", p[i], bh[i], holm[i], bonferroni[i])
			}
			for j := range p {
				if p[i] <= p[j] && (holm[i] > holm[j] || bh[i] > bh[j]) {
					t.Fatalf("order of %v not kept: holm %v, bh %v", p, holm, bh)
				}
			}
		}
	}
}

// By hand: with weights 1/2, 1/4, 1/4 the ratios are .02, .04 and .2; .02·1, then
// .04·(1/2), raised to .02, then .2·(1/4) = .05.
func TestHolmWeighted(t *testing.T) {
	got := stats.HolmWeighted([]float64{.01, .01, .05}, []float64{.5, .25, .25})
	for i, want := range []float64{.02, .02, .05} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("p %d: %v, want %v", i, got[i], want)
		}
	}
	p := []float64{.04, .001, .3, .02, .02}
	for i, v := range stats.HolmWeighted(p, []float64{2, 2, 2, 2, 2}) {
		if math.Abs(v-stats.Holm(p)[i]) > 1e-12 {
			t.Errorf("equal weights, p %d: %v, Holm has %v", i, v, stats.Holm(p)[i])
		}
	}
}
