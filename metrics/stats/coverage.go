package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// measuredAt are the items and shares of zeros that coverage was measured at.
var (
	measuredItems = []float64{10, 20, 30, 52, 80}
	measuredZeros = []float64{0, .2, .4, .6, .8}
)

// coverages is how often a 95 % t interval holds the mean of skewed
// differences, by items and share of zeros. Of those not zero three quarters are
// positive; a quarter are large, N(1, .5²), the others uniform up to .1. From `make
// coverage`: 20,000 samples each, Monte Carlo error at most .0036. BCa and inverted
// sign flips cover less.
var coverages = [][]float64{
	{.889, .845, .767, .639, .530},
	{.936, .925, .890, .812, .628},
	{.947, .940, .927, .881, .740},
	{.948, .950, .939, .928, .850},
	{.951, .948, .948, .938, .905},
}

// Coverage limits: below leastCoverage an interval is not what it says; from
// highlySkewed on a sample is called so (Bulmer 1979, Principles of Statistics).
const (
	leastCoverage = .93
	highlySkewed  = 1
)

// MeasuredCoverage is how often an interval of 95 % over n items holds the true value
// where it is known to do so in fewer than 93 of 100 cases: where differences are
// highly skewed, many are zero, and items are few. zeros is the share of items with no
// difference at all, skew the sample's skewness; between what was measured it is
// interpolated. It goes by the looks of a sample, and is a warning: with 70 % zeros
// two in three samples of 20 look skewed of a population that is not, and some of a
// skewed one do not. It is undefined where nothing suggests that the interval holds
// less than it says.
func MeasuredCoverage(n int, zeros, skew float64) Number {
	if n < 2 || math.IsNaN(skew) || math.Abs(skew) < highlySkewed {
		return Number{}
	}
	row, down := place(measuredItems, float64(n))
	column, right := place(measuredZeros, zeros)
	at := func(row int) float64 {
		return (1-right)*coverages[row][column] + right*coverages[row][column+1]
	}
	found := (1-down)*at(row) + down*at(row+1)
	if found >= leastCoverage {
		return Number{}
	}
	return Defined(found)
}

// place finds v between two neighbours of a grid, the outermost where it lies outside.
func place(grid []float64, v float64) (i int, share float64) {
	v = min(max(v, grid[0]), grid[len(grid)-1])
	i, _ = slices.BinarySearch(grid, v)
	i = min(max(0, i-1), len(grid)-2)
	return i, (v - grid[i]) / (grid[i+1] - grid[i])
}

// Coverage is MeasuredCoverage of the values of an estimate, with their share of
// zeros: of its items alone, since training runs vary symmetrically.
func (e Estimate) Coverage() (coverage Number, zeros float64) {
	for _, v := range e.Values {
		if v == 0 {
			zeros++
		}
	}
	zeros /= float64(max(1, len(e.Values)))
	if len(e.Values) < 3 {
		return Number{}, zeros
	}
	return MeasuredCoverage(len(e.Values), zeros, stat.Skew(e.Values, nil)), zeros
}
