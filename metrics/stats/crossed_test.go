package stats

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCrossed compares sums of prepared terms with those of the terms themselves, bit for
// bit: with one estimate of run variance for all, with one for each, and with none.
func TestCrossed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	layout := Layout{Sizes: []int{5, 1, 7}, Weights: []float64{.25, .25, .5}}
	shared := &Seeds{Systems: 4, Variance: .02, Interaction: .01, Freedom: 8}
	for name, seedsOf := range map[string]func(i int) *Seeds{
		"shared": func(int) *Seeds { return shared },
		"own": func(i int) *Seeds {
			return &Seeds{Systems: 1, Variance: .01 * float64(i+1), Interaction: .003, Freedom: 2}
		},
		"none": func(int) *Seeds { return nil },
		"some": func(i int) *Seeds { return []*Seeds{nil, shared}[i%2] },
	} {
		terms := make([]Term, 9)
		for i := range terms {
			terms[i] = Term{Runs: i%3 + 1, Seeds: seedsOf(i), Values: make([]float64, layout.Items())}
			for q := range terms[i].Values {
				terms[i].Values[q] = random.Float64()
			}
		}
		crossed := layout.Cross(terms)
		for range 20 {
			coefficients := make([]float64, len(terms))
			for i := range coefficients {
				coefficients[i] = random.NormFloat64()
			}
			got, ok := crossed.Contrast(coefficients)
			want, known := layout.Contrast(crossed.With(coefficients)...)
			if !reflect.DeepEqual(got, want) || ok != known {
				t.Fatalf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

// TestWorkspace: contrasts computed one after the other in one workspace equal those computed
// separately.
func TestWorkspace(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var w Workspace
	for _, sizes := range [][]int{{6}, {2, 3}, {1, 1, 1}, {40}, {1}} {
		layout := Layout{Sizes: sizes, Weights: make([]float64, len(sizes))}
		var terms []Term
		for k := range 2 {
			x := Term{Coefficient: float64(2*k - 1), Runs: k, Seeds: &Seeds{Variance: .1, Freedom: 3}, Values: make([]float64, layout.Items())}
			for i := range x.Values {
				x.Values[i] = random.Float64()
			}
			terms = append(terms, x)
		}
		for k := range layout.Weights {
			layout.Weights[k] = 1 / float64(len(sizes))
		}
		got, ok := layout.ContrastIn(&w, terms...)
		want, known := layout.Contrast(terms...)
		if fmt.Sprint(got) != fmt.Sprint(want) || ok != known {
			t.Errorf("%v: %+v %v, want %+v %v", sizes, got, ok, want, known)
		}
	}
}
