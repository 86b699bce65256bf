package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Layout says how the items of a sample, such as queries, are grouped into strata,
// such as tasks, which stand one after the other. What is estimated is the mean over
// strata of the mean over items: tasks are what they are, queries are a sample.
type Layout struct {
	Sizes   []int     // items of each stratum, at least one
	Weights []float64 // of the strata; they add up to 1
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

// Mean is the weighted mean over strata of the means over their items.
func (l Layout) Mean(values []float64) float64 {
	mean := 0.0
	l.each(func(k, from, to int) { mean += l.Weights[k] * stat.Mean(values[from:to], nil) })
	return mean
}

// each calls do with the place of every stratum among the items.
func (l Layout) each(do func(k, from, to int)) {
	from := 0
	for k, size := range l.Sizes {
		do(k, from, from+size)
		from += size
	}
}

// component is a variance with the degrees of freedom of its estimate.
type component struct{ variance, freedom float64 }

// squares are the mean squares of values about the means of their strata. A stratum of
// one item has that of the others together; ok is false where all are of one.
func (l Layout) squares(values []float64) (squares []float64, ok bool) {
	return l.squaresIn(make([]float64, len(l.Sizes)), values)
}

// squaresIn is squares into a list of one a stratum.
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

// ofMean is the variance of the mean of values over items drawn anew within their
// strata, the sum of w²·MS/n (Cochran 1977, Sampling Techniques, section 5.6), with
// Satterthwaite's degrees of freedom. Where every stratum has one item, the strata
// are taken for the sample.
func (l Layout) ofMean(values []float64) (c component, ok bool) {
	squares, ok := l.squares(values)
	if !ok {
		return l.ofStrata(values)
	}
	return l.ofSquares(squares), true
}

// ofSquares is ofMean by mean squares.
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

// ofStrata is the variance of a weighted mean of strata of one item each, from how
// they differ (the collapsed strata of Cochran 1977, section 5A.12).
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

// Deviation is the standard deviation of values within strata, the root of the
// weighted mean square: what a difference is held against in d_z.
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

// settle takes from values what is rounding alone (see Tolerance), of sums of numbers as
// large as scale: values that are the same as 0 are 0, and where those of a stratum are
// all the same, they are its mean.
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

// spreadOf is how far the largest of some values lies above the smallest.
func spreadOf(values []float64) float64 {
	low, high := values[0], values[0]
	for _, v := range values[1:] {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}
