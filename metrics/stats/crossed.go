package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Crossed holds systems with values on the same items, for estimating many sums of them: the
// main effects and interactions of an ablation are hundreds of sums over thousands of systems
// that differ in their coefficients alone.
type Crossed struct {
	layout  Layout
	terms   []Term    // their coefficients are ignored
	largest []float64 // absolute value of each term
	shares  []share   // of all terms; their sums are not set
	place   []int     // index into shares, by term; -1 for a term without seeds
}

// Cross prepares sums of some terms; their coefficients are ignored.
func (l Layout) Cross(terms []Term) *Crossed {
	x := &Crossed{layout: l, terms: terms, largest: make([]float64, len(terms)), place: make([]int, len(terms))}
	known := map[*Seeds]int{}
	for i, t := range terms {
		x.largest[i], x.place[i] = largest(t.Values), -1
		if t.Runs == 0 || t.Seeds == nil {
			continue
		}
		at, ok := known[t.Seeds]
		if !ok {
			at = len(x.shares)
			known[t.Seeds] = at
			x.shares = append(x.shares, share{seeds: t.Seeds})
		}
		x.place[i] = at
	}
	return x
}

// Contrast is Layout.Contrast of the terms with these coefficients, one per term.
func (x *Crossed) Contrast(coefficients []float64) (e Estimate, ok bool) {
	w := Workspace{values: make([]float64, x.layout.Items()), runs: append([]share(nil), x.shares...)}
	scale := 0.0
	for i, c := range coefficients {
		floats.AddScaled(w.values, c, x.terms[i].Values)
		scale = max(scale, math.Abs(c)*x.largest[i])
		if at := x.place[i]; at >= 0 {
			w.runs[at].sum += c * c / float64(x.terms[i].Runs)
		}
	}
	return x.layout.estimate(&w, scale)
}

// With returns the terms with these coefficients.
func (x *Crossed) With(coefficients []float64) []Term {
	out := append([]Term(nil), x.terms...)
	for i, c := range coefficients {
		out[i].Coefficient = c
	}
	return out
}
