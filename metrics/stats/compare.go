package stats

import "math"

// Tolerance is by how much two values of a measure, or two differences of such values,
// may differ and still be the same, as a share of the largest of 1 and the values that they
// were computed from. Tests, ranks, counts of wins and whatever is called best compare by
// it: .3-.2 and .2-.1 are one difference to a reader and two floats, which rank-based tests
// took for an order (scipy#17667). Values of measures are sums of up to a few thousand
// rounded terms, whose error stays below 1e-13; and no two systems are told apart by less
// than 1e-12. Scores of documents are no values of measures: rankings compare them exactly.
const Tolerance = 1e-12

// Compare is -1 where a is below b, 1 where it is above, and 0 where they differ by no
// more than Tolerance allows, or one of them is NaN.
func Compare(a, b float64) int {
	switch {
	case math.Abs(a-b) <= slack(a, b): // of infinities never: the slack of one is NaN
		return 0
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// slack is by how much values may differ that were computed from numbers as large as some.
func slack(of ...float64) float64 {
	scale := max(1, largest(of))
	if math.IsInf(scale, 1) {
		return math.NaN()
	}
	return Tolerance * scale
}

// settled is v, or 0 where it differs from 0 by no more than the slack.
func settled(v, slack float64) float64 {
	if math.Abs(v) <= slack {
		return 0
	}
	return v
}
