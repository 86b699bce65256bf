package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Layout groups the items of a sample, such as queries, into consecutive strata, such as
// tasks. The estimated value is the mean over strata of the mean over items: tasks are fixed,
// queries are a sample.
type Layout struct {
	Sizes   []int     // items of each stratum, at least one
	Weights []float64 // weights of the strata; they add up to 1
}

// OneStratum is the layout of a plain mean over n items.
func OneStratum(n int) Layout { return Layout{Sizes: []int{n}, Weights: []float64{1}} }

// Items counts the items of all strata.
func (l Layout) Items() int {
	n := 0
	for _, size := range l.Sizes {
		n += size
	}
	return n
}

// Mean returns the weighted mean over strata of the means over their items.
func (l Layout) Mean(values []float64) float64 {
	mean := 0.0
	l.each(func(k, from, to int) { mean += l.Weights[k] * stat.Mean(values[from:to], nil) })
	return mean
}

// each calls do with the range of every stratum among the items.
func (l Layout) each(do func(k, from, to int)) {
	from := 0
	for k, size := range l.Sizes {
		do(k, from, from+size)
		from += size
	}
}

// component is a variance with the degrees of freedom of its estimate.
type component struct{ variance, freedom float64 }

// squares returns the mean squares of values about the means of their strata. A stratum of
// one item gets the mean square of the others together; ok is false if all strata have one
// item.
func (l Layout) squares(values []float64) (squares []float64, ok bool) {
	return l.squaresIn(make([]float64, len(l.Sizes)), values)
}

// squaresIn is squares, but writes into a list with one element per stratum.
func (l Layout) squaresIn(squares, values []float64) (_ []float64, ok bool) {
	sum, freedom := 0.0, 0
	l.each(func(k, from, to int) {
		squares[k] = 0
		if to-from > 1 {
			squares[k] = stat.Variance(values[from:to], nil)
			sum += squares[k] * float64(to-from-1)
			freedom += to - from - 1
		}
	})
	if freedom == 0 {
		return nil, false
	}
	for k, size := range l.Sizes {
		if size == 1 {
			squares[k] = sum / float64(freedom)
		}
	}
	return squares, true
}

// ofMean returns the variance of the mean of values if items are resampled within their
// strata, the sum of w²·MS/n (Cochran 1977, Sampling Techniques, section 5.6), with
// Satterthwaite's degrees of freedom. If every stratum has one item, the strata are treated
// as the sample.
func (l Layout) ofMean(values []float64) (c component, ok bool) {
	squares, ok := l.squares(values)
	if !ok {
		return l.ofStrata(values)
	}
	return l.ofSquares(squares), true
}

// ofSquares is ofMean, computed from mean squares.
func (l Layout) ofSquares(squares []float64) (c component) {
	spread := 0.0
	for k, size := range l.Sizes {
		part := l.Weights[k] * l.Weights[k] * squares[k] / float64(size)
		c.variance += part
		spread += part * part / float64(max(1, size-1))
	}
	if c.variance > 0 {
		c.freedom = c.variance * c.variance / spread
	}
	return c
}

// ofStrata returns the variance of a weighted mean of strata of one item each, from their
// differences (the collapsed strata of Cochran 1977, section 5A.12).
func (l Layout) ofStrata(values []float64) (c component, ok bool) {
	k := float64(len(values))
	if k < 2 {
		return c, false
	}
	mean := l.Mean(values)
	for i, v := range values {
		c.variance += k / (k - 1) * l.Weights[i] * l.Weights[i] * (v - mean) * (v - mean)
	}
	return component{c.variance, k - 1}, true
}

// Deviation returns the standard deviation of values within strata, the root of the weighted
// mean square: the unit of d_z.
func (l Layout) Deviation(values []float64) (float64, bool) {
	squares, ok := l.squares(values)
	if !ok {
		return 0, false
	}
	return l.deviation(squares), true
}

func (l Layout) deviation(squares []float64) float64 {
	mean := 0.0
	for k, s := range squares {
		mean += l.Weights[k] * s
	}
	return math.Sqrt(mean)
}

// settle removes rounding errors (see Tolerance) from values that are sums of numbers as
// large as scale: values equal to 0 become 0, and if those of a stratum are all equal, they
// become its mean.
func (l Layout) settle(values []float64, scale float64) {
	slack := slack(scale)
	for i, v := range values {
		values[i] = settled(v, slack)
	}
	l.each(func(_, from, to int) {
		part := values[from:to]
		if spread := spreadOf(part); spread > 0 && spread <= slack {
			mean := stat.Mean(part, nil)
			for i := range part {
				part[i] = mean
			}
		}
	})
}

// spreadOf returns the largest value minus the smallest.
func spreadOf(values []float64) float64 {
	low, high := values[0], values[0]
	for _, v := range values[1:] {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}
