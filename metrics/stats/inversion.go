package stats

import "math"

// Accepted is the interval of the values that a test does not reject at 1 − level: p
// is its p-value of each, and is largest at the estimate. So the interval leaves out 0
// if and only if the test rejects it. It is undefined where a test rejects nothing, as
// one of too few pairs does.
func Accepted(estimate, level float64, p func(value float64) float64) Interval {
	alpha := 1 - level
	low, below := farthest(estimate, -1, alpha, p)
	high, above := farthest(estimate, 1, alpha, p)
	if !below || !above {
		return Interval{}
	}
	if low != 0 && high != 0 && min(-low, high) <= Tolerance && p(0) > alpha { // 0 and what compares as equal to it
		low, high = settled(low, Tolerance), settled(high, Tolerance)
	}
	return Interval{Low: low, High: high, Level: level}
}

// farthest is how far values on one side of the estimate are accepted.
func farthest(estimate, side, alpha float64, p func(float64) float64) (end float64, ok bool) {
	in, step := estimate, max(math.Abs(estimate), 1)*1e-6
	if side*(0-estimate) > 0 { // 0 lies on this side, and p of it decides on which side of the end
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

// between bisects to the end of what is accepted, from an accepted and a rejected
// value.
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
