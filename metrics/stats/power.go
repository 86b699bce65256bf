package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxNeeded limits the answers of TopicsNeeded and SeedsNeeded.
const maxNeeded = 1 << 20

// Power returns the probability that a two-sided t test with nu degrees of freedom at level
// alpha finds a true difference of shift standard errors. For a paired test of n topics, nu
// is n−1 and shift is the mean difference divided by its standard deviation, times √n. It is
// undefined for nu < 1 or alpha outside (0,1). Agrees with statsmodels TTestPower.power.
func Power(shift, nu, alpha float64) Number {
	if !testable(nu, alpha) || math.IsNaN(shift) {
		return Number{}
	}
	return Defined(powerOf(nu, alpha)(shift))
}

// testable reports whether there is a t test with these degrees of freedom at this level.
func testable(nu, alpha float64) bool { return nu >= 1 && alpha > 0 && alpha < 1 }

// powerOf is Power for several differences in turn.
func powerOf(nu, alpha float64) func(shift float64) float64 {
	critical := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(1 - alpha/2)
	normal := distuv.UnitNormal
	// Given the scale s of the estimated deviation, t is normal around shift/s.
	return func(shift float64) float64 {
		return overScale(nu, func(s float64) float64 {
			return normal.CDF(shift-critical*s) + normal.CDF(-shift-critical*s)
		})
	}
}

// smallestShift returns the true difference, in standard errors, that Power finds with the
// given probability, by bisection.
func smallestShift(power, nu, alpha float64) Number {
	if !testable(nu, alpha) || !(power > alpha && power < 1) {
		return Number{}
	}
	of := powerOf(nu, alpha)
	lacks := func(shift float64) float64 { return of(shift) - power }
	low, high := 0.0, 1.0
	for lacks(high) < 0 {
		low, high = high, 2*high
	}
	below, above := enclosed(lacks, low, high)
	for high-low > 1e-10*high {
		if middle := (low + high) / 2; middle >= above || middle > below && lacks(middle) >= 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return Defined(high)
}

// enclosed narrows the zero of a rising function to a billionth, in a quarter of the steps of
// a bisection. It uses false position, and halves the function at an end that stays (the
// Illinois rule, Dowell and Jarratt 1971, BIT 11). The function is below 0 at below, and not
// at above.
func enclosed(f func(float64) float64, low, high float64) (below, above float64) {
	atLow, atHigh := f(low), f(high)
	stayed := 0 // the end that did: -1 low, 1 high
	for range 30 {
		if high-low <= 1e-9*high || !(atLow < 0 && atHigh > 0) {
			break
		}
		next := high - atHigh*(high-low)/(atHigh-atLow)
		if !(next > low && next < high) {
			break
		}
		if at := f(next); at < 0 {
			low, atLow = next, at
			if stayed == 1 {
				atHigh /= 2
			}
			stayed = 1
		} else {
			high, atHigh = next, at
			if stayed == -1 {
				atLow /= 2
			}
			stayed = -1
		}
	}
	return low, high
}

// fewest returns the least n from least to maxNeeded whose power reaches the target; power
// rises with n.
func fewest(least int, target float64, power func(n int) Number) (n int, ok bool) {
	reaches := func(n int) bool {
		p, ok := power(n).Get()
		return ok && p >= target
	}
	if target <= 0 || target >= 1 || !reaches(maxNeeded) {
		return 0, false
	}
	low, high := least, maxNeeded
	for low < high {
		middle := low + (high-low)/2
		if reaches(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, true
}
