package contrast

import (
	"math"
	"testing"

	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// TestGiven checks that a given estimate is tested against its own zero, or for lying
// within a band. The p-value is that of a two-sided test, of two one-sided tests inside
// the band (stats.Within), and outside of the distance from the nearer end.
func TestGiven(t *testing.T) {
	e := stats.Estimate{Value: .1, StandardError: .02, Freedom: 12}
	moved := func(value float64) stats.Estimate {
		out := e
		out.Value = value
		return out
	}
	for _, test := range []struct{ zero, band, want float64 }{
		{0, 0, e.P()},
		{.08, 0, moved(.02).P()},
		{0, .15, e.Within(.15)},
		{.08, .06, moved(.02).Within(.06)},
		{0, .04, moved(.06).P()},
		{.2, .04, moved(.06).P()},
	} {
		c := Given(e, test.zero, test.band)
		if c.Difference != .1 || math.Abs(c.P-test.want) > 1e-12 {
			t.Errorf("zero %v, band %v: p %v, want %v", test.zero, test.band, c.P, test.want)
		}
		(&Family{Contrasts: []*Contrast{c}}).Correct()
		if c.Adjusted != c.P || c.Interval() != e.Interval(Level) {
			t.Errorf("zero %v, band %v: %v, %v", test.zero, test.band, c.Adjusted, c.Interval())
		}
	}
}

// TestSum checks that the coefficients of a repeated system are added, and that A and B
// are the first systems on either side.
func TestSum(t *testing.T) {
	a, b, c := &scores.System{Label: "a"}, &scores.System{Label: "b"}, &scores.System{Label: "c"}
	s := Sum(scores.Number{}, Term{a, .5}, Term{b, -.5}, Term{c, .5}, Term{b, -.5})
	if s.A != b || s.B != a || len(s.terms) != 3 || s.terms[1].Coefficient != -1 {
		t.Errorf("%+v", s)
	}
}
