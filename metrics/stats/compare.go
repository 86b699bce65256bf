package stats

import "math"

// Tolerance is the largest difference at which two values of a measure, or two differences of
// such values, are equal, relative to the largest of 1 and the values that they were computed
// from. Tests, ranks, counts of wins and the choice of the best value use it: .3-.2 and .2-.1
// are one difference to a reader but two floats, which rank-based tests ordered
// (scipy#17667). Values of measures are sums of up to a few thousand rounded terms, whose
// error stays below 1e-13, and no two systems differ by less than 1e-12. Scores of documents
// are not values of measures: rankings compare them exactly.
const Tolerance = 1e-12

// Compare returns -1 if a is below b, 1 if a is above b, and 0 if they differ by no more than
// Tolerance allows or one of them is NaN.
func Compare(a, b float64) int {
	switch {
	case math.Abs(a-b) <= slack(a, b): // never for infinities: their slack is NaN
		return 0
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// slack returns the largest difference between equal values that were computed from numbers
// of this size.
func slack(of ...float64) float64 {
	scale := max(1, largest(of))
	if math.IsInf(scale, 1) {
		return math.NaN()
	}
	return Tolerance * scale
}

// settled returns v, or 0 if v differs from 0 by no more than slack.
func settled(v, slack float64) float64 {
	if math.Abs(v) <= slack {
		return 0
	}
	return v
}
