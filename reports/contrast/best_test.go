package contrast

import (
	"testing"
)

func TestDecisive(t *testing.T) {
	for _, test := range []struct {
		name        string
		differences []float64
		ps          []float64
		index       int
		p           float64
	}{
		{"ahead of all: the largest p", []float64{0.1, 0.2, 0.3}, []float64{0.01, 0.04, 0.001}, 1, 0.04},
		{"one ahead of it: its p times their number", []float64{0.1, -0.2, 0.3}, []float64{0.5, 0.01, 0.001}, 1, 0.03},
		{"two ahead of it: the surer", []float64{-0.1, -0.2, 0.3}, []float64{0.5, 0.6, 0.001}, 0, 1},
	} {
		var all []*Contrast
		for i, d := range test.differences {
			all = append(all, &Contrast{Difference: d, P: test.ps[i]})
		}
		if i, p := decisive(all, func(c *Contrast) float64 { return c.Difference }, func(c *Contrast) float64 { return c.P }); i != test.index || p != test.p {
			t.Errorf("%s: %d with p %v, want %d with %v", test.name, i, p, test.index, test.p)
		}
	}
}
