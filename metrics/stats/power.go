package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxNeeded bounds the answers of TopicsNeeded and SeedsNeeded.
const maxNeeded = 1 << 20

// Power is the chance that a two-sided t test with nu degrees of freedom at level
// alpha finds a true difference of shift standard errors: of a paired test of n
// topics, nu is n−1 and shift the mean difference over its standard deviation times
// √n. It is undefined for nu < 1 or alpha outside (0,1). Agrees with statsmodels
// TTestPower.power.
func Power(shift, nu, alpha float64) Number {
	if !(nu >= 1) || !(alpha > 0 && alpha < 1) || math.IsNaN(shift) {
		return Number{}
	}
	critical := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(1 - alpha/2)
	normal := distuv.UnitNormal
	// Given the scale s of the estimated deviation, t is normal around shift/s.
	return Defined(overScale(nu, func(s float64) float64 {
		return normal.CDF(shift-critical*s) + normal.CDF(-shift-critical*s)
	}))
}

// smallestShift is the true difference, in standard errors, that Power finds with
// the given chance, by bisection.
func smallestShift(power, nu, alpha float64) Number {
	if _, ok := Power(0, nu, alpha).Get(); !ok || !(power > alpha && power < 1) {
		return Number{}
	}
	reaches := func(shift float64) bool {
		p, _ := Power(shift, nu, alpha).Get()
		return p >= power
	}
	low, high := 0.0, 1.0
	for !reaches(high) {
		low, high = high, 2*high
	}
	for high-low > 1e-10*high {
		if middle := (low + high) / 2; reaches(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return Defined(high)
}

// fewest returns the least n from least to maxNeeded whose power reaches the
// target, power rising with n.
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
