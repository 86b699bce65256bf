package stats

import "math"

// Accepted returns the interval of the values that a test does not reject at 1 − level. p is
// the test's p-value for a value, and is largest at the estimate. So the interval excludes 0
// if and only if the test rejects 0. It is undefined if the test rejects nothing, as with too
// few pairs.
func Accepted(estimate, level float64, p func(value float64) float64) Interval {
	alpha := 1 - level
	low, below := farthest(estimate, -1, alpha, p)
	high, above := farthest(estimate, 1, alpha, p)
	if !below || !above {
		return Interval{}
	}
	if low != 0 && high != 0 && min(-low, high) <= Tolerance && p(0) > alpha { // 0 and values that compare equal to it
		low, high = settled(low, Tolerance), settled(high, Tolerance)
	}
	return Interval{Low: low, High: high, Level: level}
}

// farthest returns the accepted value farthest from the estimate on one side.
func farthest(estimate, side, alpha float64, p func(float64) float64) (end float64, ok bool) {
	in, step := estimate, max(math.Abs(estimate), 1)*1e-6
	if side*(0-estimate) > 0 { // 0 is on this side, and p(0) decides on which side of the end
		if p(0) <= alpha {
			return between(in, 0, alpha, p), true
		}
		in = 0
	}
	const doublings = 60
	for range doublings {
		out := in + side*step
		if p(out) <= alpha {
			return between(in, out, alpha, p), true
		}
		in, step = out, 2*step
	}
	return 0, false
}

// between bisects between an accepted and a rejected value to the end of the accepted values.
func between(in, out, alpha float64, p func(float64) float64) float64 {
	for math.Abs(out-in) > 1e-9*max(math.Abs(out), math.Abs(in), 1e-6) {
		if middle := (in + out) / 2; p(middle) <= alpha {
			out = middle
		} else {
			in = middle
		}
	}
	return in
}
