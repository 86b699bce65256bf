package agreement_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infbench/metrics/agreement"
)

// table fills a table from a matrix of counts.
func table(counts [][]int) *agreement.Table {
	t := agreement.NewTable(len(counts))
	for i, row := range counts {
		for j, n := range row {
			for range n {
				t.Add(i, j)
			}
		}
	}
	return t
}

// Expected values from scikit-learn 1.2.1 cohen_kappa_score, limits from statsmodels 0.13.5
// cohens_kappa (kappa_low, kappa_upp); the first table is the textbook example, kappa .40 by
// hand.
func TestKappa(t *testing.T) {
	textbook := [][]int{{20, 5}, {10, 15}}
	three := [][]int{{11, 3, 1}, {2, 9, 4}, {0, 3, 7}}
	for _, c := range []struct {
		name             string
		counts           [][]int
		weights          agreement.Weights
		want, low, high  float64
		n                int
		observed, chance float64 // by hand
	}{
		{"textbook", textbook, agreement.Unweighted, 0.4, 0.151092290476661, 0.6489077095233389, 50, 0.7, 0.5},
		{"three", three, agreement.Unweighted, 0.5094339622641509, 0.29066032919235585, 0.728207595335946, 40, 27.0 / 40, 540.0 / 1600},
		{"linear", three, agreement.Linear, 0.5912408759124088, 0.3950815505050511, 0.7874002013197665, 40, 33.0 / 40, 915.0 / 1600},
		{"quadratic", three, agreement.Quadratic, 0.6783919597989949, 0.4882133982759874, 0.8685705213220024, 40, 36.0 / 40, 1102.5 / 1600},
	} {
		got := table(c.counts).Kappa(c.weights, 0.95)
		near(t, c.name, got.Value, c.want, 1e-12)
		near(t, c.name+" observed", got.Observed, c.observed, 1e-12)
		near(t, c.name+" expected", got.Expected, c.chance, 1e-12)
		if math.Abs(got.Interval.Low-c.low) > 1e-9 || math.Abs(got.Interval.High-c.high) > 1e-9 || got.N != c.n {
			t.Errorf("%s: n %d, interval %v; want %d, [%v, %v]", c.name, got.N, got.Interval, c.n, c.low, c.high)
		}
	}
}

func TestKappaDegenerate(t *testing.T) {
	undefined(t, "no item", agreement.NewTable(2).Kappa(agreement.Unweighted, 0.95))
	undefined(t, "one shared constant label", table([][]int{{9, 0}, {0, 0}}).Kappa(agreement.Unweighted, 0.95))
	undefined(t, "one label in all", table([][]int{{9}}).Kappa(agreement.Quadratic, 0.95))
	near(t, "one constant rater", table([][]int{{5, 4}, {0, 0}}).Kappa(agreement.Unweighted, 0.95).Value, 0, 1e-12)
	near(t, "full agreement", table([][]int{{5, 0}, {0, 4}}).Kappa(agreement.Unweighted, 0.95).Value, 1, 1e-12)
	near(t, "full disagreement", table([][]int{{0, 5}, {5, 0}}).Kappa(agreement.Unweighted, 0.95).Value, -1, 1e-12)
}

// Kappa is in [-1,1] and inside its interval, and swapping the raters changes nothing.
func TestKappaProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 300 {
		k := 2 + r.IntN(3)
		there, back := agreement.NewTable(k), agreement.NewTable(k)
		for range 1 + r.IntN(30) {
			i, j := r.IntN(k+1)-1, r.IntN(k+1)-1 // -1 is Missing
			there.Add(i, j)
			back.Add(j, i)
		}
		for _, w := range []agreement.Weights{agreement.Unweighted, agreement.Linear, agreement.Quadratic} {
			a, b := there.Kappa(w, 0.95), back.Kappa(w, 0.95)
			v, ok := a.Value.Get()
			if !ok {
				undefined(t, "swapped", b)
				continue
			}
			near(t, "swapped", b.Value, v, 1e-12)
			if v < -1-1e-12 || v > 1+1e-12 {
				t.Errorf("kappa = %v", v)
			}
			if low, high, ok := a.Interval.Get(); ok && (low > v+1e-12 || high < v-1e-12) {
				t.Errorf("%v outside %v", v, a.Interval)
			}
		}
	}
}

func TestParseWeights(t *testing.T) {
	for _, w := range []agreement.Weights{agreement.Unweighted, agreement.Linear, agreement.Quadratic} {
		if got, err := agreement.ParseWeights(w.String()); got != w || err != nil {
			t.Errorf("%v parses to %v, %v", w, got, err)
		}
	}
	if _, err := agreement.ParseWeights("quadratc"); err == nil {
		t.Error("quadratc: no error")
	}
}
