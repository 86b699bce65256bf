package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// CohenDz returns the mean of the differences b − a divided by their standard deviation
// (n−1): the effect size of a paired comparison (Cohen calls 0.2 small, 0.5 medium, 0.8
// large). It is undefined for fewer than 2 pairs and if all differences are equal, because an
// infinite d_z is not a size.
func CohenDz(a, b []float64) Number {
	d, err := differences(a, b, 2)
	if err != nil || constant(d, a, b) {
		return Number{}
	}
	return Defined(stat.Mean(d, nil) / stat.StdDev(d, nil))
}

// CliffDelta returns P(y > x) − P(y < x) for x from a and y from b, over all pairs of values
// of any topics, in [-1,1] (Cliff 1993). The slices may differ in length; it is undefined if
// one is empty or contains a NaN.
func CliffDelta(a, b []float64) Number {
	if len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return Number{}
	}
	sorted := slices.Sorted(slices.Values(a))
	balance := 0
	for _, y := range b {
		below, upTo := equalRange(sorted, y)
		balance += below - (len(sorted) - upTo)
	}
	return Defined(float64(balance) / float64(len(a)) / float64(len(b)))
}

// equalRange finds the values of an ascending list that are equal to v: from, to.
func equalRange(sorted []float64, v float64) (from, to int) {
	from, _ = slices.BinarySearchFunc(sorted, v, Compare)
	to, _ = slices.BinarySearchFunc(sorted, v, func(have, v float64) int { return cmp.Or(Compare(have, v), -1) })
	return from, to
}
