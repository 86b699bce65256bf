package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxNeeded bounds the answers of TopicsNeeded and SeedsNeeded.
const maxNeeded = 1 << 20

// Power is the chance that a two-sided paired t test at level alpha finds a true
// effect of size dz (mean difference over its standard deviation) with n
// topics. It is undefined for n < 2 or alpha outside (0,1). Agrees with
// statsmodels TTestPower.power.
func Power(dz float64, n int, alpha float64) Number {
	if n < 2 || alpha <= 0 || alpha >= 1 || math.IsNaN(dz) {
		return Number{}
	}
	nu := float64(n - 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(1 - alpha/2)
	shift := dz * math.Sqrt(float64(n))
	normal := distuv.UnitNormal
	// Given the scale s of the estimated deviation, t is normal around shift/s.
	return Defined(overScale(nu, func(s float64) float64 {
		return normal.CDF(shift-critical*s) + normal.CDF(-shift-critical*s)
	}))
}

// TopicsNeeded returns the fewest topics with which a paired t test at level
// alpha finds an effect of size dz with at least the given power; ok is false
// where arguments are out of range or 2²⁰ topics do not suffice. The answer of
// statsmodels TTestPower.solve_power, rounded up.
func TopicsNeeded(dz, power, alpha float64) (topics int, ok bool) {
	return fewest(2, power, func(n int) Number { return Power(dz, n, alpha) })
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
