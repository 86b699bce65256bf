package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// ErrTooFew reports that there are too few pairs for the requested quantity.
var ErrTooFew = errors.New("too few pairs")

// Test is the outcome of a two-sided paired test. In every test of this package a is the
// baseline and b the system compared with it, so differences are b − a.
type Test struct {
	Name           string  `json:"test"`   // one of TestNames
	Method         string  `json:"method"` // how P was computed: "exact", "monte carlo 10000", "normal", "student"
	N              int     `json:"n"`      // pairs, including equal ones
	MeanDifference float64 `json:"mean_difference"`
	Statistic      Number  `json:"statistic"` // the test's statistic
	P              float64 `json:"p"`         // in [0,1]
}

// differences returns b − a, which is 0 if Compare finds the values equal. It fails for
// slices of unequal length, for fewer than least pairs, and for values that are not finite.
func differences(a, b []float64, least int) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("paired test of %d values against %d", len(a), len(b))
	}
	if len(a) < least {
		return nil, fmt.Errorf("%w: %d, need %d", ErrTooFew, len(a), least)
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = settled(b[i]-a[i], slack(a[i], b[i]))
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return nil, fmt.Errorf("pair %d: %v and %v do not differ by a finite number", i, a[i], b[i])
		}
	}
	return d, nil
}

// newTest starts the outcome of a test on differences d.
func newTest(name, method string, d []float64) Test {
	return Test{Name: name, Method: method, N: len(d), MeanDifference: settled(stat.Mean(d, nil), slack(d...))}
}

// withoutZeros returns the non-zero values of d, in order.
func withoutZeros(d []float64) []float64 {
	kept := make([]float64, 0, len(d))
	for _, v := range d {
		if v != 0 {
			kept = append(kept, v)
		}
	}
	return kept
}

// constant reports whether all of d are one value, except for the rounding of the subtraction
// b − a.
func constant(d, a, b []float64) bool {
	return floats.Max(d)-floats.Min(d) <= slack(largest(a), largest(b))
}
