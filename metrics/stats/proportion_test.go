package stats

import (
	"math"
	"testing"
)

// Expected ends by hand from Wilson's formula, with z = 1.959963984540054; those for 81 of
// 263 are the example of Newcombe (1998), table I: .2553 to .3662.
func TestWilson(t *testing.T) {
	const tol = 5e-5
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, .2553, .3662},
		{15, 148, .0624, .1605},
		{0, 20, 0, .1611},
		{1, 29, .0061, .1718},
		{20, 20, .8389, 1},
	} {
		share, i := Wilson(c.k, c.n, .95)
		v, ok := share.Get()
		if !ok || v != float64(c.k)/float64(c.n) || math.Abs(i.Low-c.low) > tol || math.Abs(i.High-c.high) > tol || i.Level != .95 {
			t.Errorf("%d of %d: %v %v, want [%v, %v]", c.k, c.n, share, i, c.low, c.high)
		}
	}
	for _, c := range [][2]int{{0, 0}, {3, 2}, {-1, 2}} {
		if share, i := Wilson(c[0], c[1], .95); share != (Number{}) || i != (Interval{}) {
			t.Errorf("%v of %v is defined", c[0], c[1])
		}
	}
}
