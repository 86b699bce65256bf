package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// splitForms splits a family's forms and fills in the cutoffs.
func splitForms(forms string) []string {
	return strings.Split(strings.ReplaceAll(forms, "@k", "@7"), ", ")
}

// everyMeasure parses every form of every family.
func everyMeasure(t *testing.T) []Measure {
	t.Helper()
	var all []Measure
	for _, f := range Families() {
		for _, form := range splitForms(f.Forms) {
			m, err := Parse(form)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
	}
	return all
}

// TestInvariance checks on random rankings that measures of one ranking do not depend on the order
// of the lines or on a monotone transform of the scores.
func TestInvariance(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	measures := everyMeasure(t)
	for range 200 {
		c := randomCase(random)
		changed := *c
		changed.Ranking = reordered(random, c.Ranking)
		changed.Before = reordered(random, c.Before)
		for _, m := range measures {
			a, ok := m.Score(c)
			b, ok2 := m.Score(&changed)
			if ok != ok2 || a != b {
				t.Fatalf("%s: %v (%v) and, with lines shuffled and scores transformed, %v (%v)", m, a, ok, b, ok2)
			}
		}
	}
}

// reordered shuffles the lines of a ranking, maps its scores monotonically and
// sorts again.
func reordered(random *rand.Rand, r trec.Ranking) trec.Ranking {
	r = slices.Clone(r)
	random.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
	for i := range r {
		r[i].Score = math.Exp(r[i].Score/3) - 100
	}
	r.Sort()
	return r
}

// TestBounds checks on random rankings that every value is finite and inside the range that the
// family states, and that prepared cases score the same.
func TestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ranges := map[string]func(v float64) bool{
		"[0,1]": func(v float64) bool { return v >= 0 && v <= 1+1e-12 }, "[0,1)": func(v float64) bool { return v >= 0 && v < 1 },
		"{0,1}": func(v float64) bool { return v == 0 || v == 1 }, "(-1,1)": func(v float64) bool { return v > -1 && v < 1 },
		"(-1,1]": func(v float64) bool { return v > -1 && v <= 1 }, "0, 1, ...": func(v float64) bool { return v >= 0 && v == math.Trunc(v) },
	}
	type bounded struct {
		Measure
		Family
	}
	var all []bounded
	for _, f := range Families() {
		for _, form := range splitForms(f.Forms) {
			m, err := Parse(form)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, bounded{m, f})
		}
	}
	for range 300 {
		c := randomCase(random)
		c.Reversed = reordered(random, c.Before)
		prepared := *c
		prepared.Prepare()
		for _, m := range all {
			v, ok := m.Score(c)
			if again, ok2 := m.Score(&prepared); again != v || ok2 != ok {
				t.Fatalf("%s: %v, prepared %v", m.Measure, v, again)
			}
			inside := ranges[m.Range]
			if ok && (math.IsNaN(v) || math.IsInf(v, 0) || inside != nil && !inside(v)) {
				t.Fatalf("%s = %v is outside %s", m.Measure, v, m.Range)
			}
		}
	}
}

// TestMonotone checks that AP@k, R@k, Success@k, RR@k and RBP@k never fall as k
// grows, and that AP@k reaches AP.
func TestMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		c := randomCase(random)
		for _, at := range []func(k int) Measure{
			func(k int) Measure { return AP{K: k} }, func(k int) Measure { return Recall{K: k} }, func(k int) Measure { return Success{K: k} },
			func(k int) Measure { return RR{K: k} }, func(k int) Measure { return RBP{P: 0.8, K: k} }, func(k int) Measure { return ERR{K: k, Max: 4} },
		} {
			last := 0.0
			for k := 1; k <= len(c.Ranking)+2; k++ {
				v, ok := at(k).Score(c)
				if !ok || v < last {
					t.Fatalf("%s = %v after %v at the cutoff before", at(k), v, last)
				}
				last = v
			}
		}
		deep, _ := AP{K: 1000}.Score(c)
		if whole, _ := (AP{}).Score(c); deep != whole {
			t.Fatalf("AP@1000 = %v, AP = %v on %d documents", deep, whole, len(c.Ranking))
		}
	}
}
