package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap holds the settings of a bootstrap: Resamples (at least 1) samples with
// replacement, seeded by Seed, for an interval with coverage Level in (0,1).
type Bootstrap struct {
	Level     float64
	Resamples int
	Seed      uint64
}

// Statistic computes a value from the sample whose items have the given indices, which may
// repeat; ok is false if the value is undefined for that sample. It must not keep the slice.
type Statistic func(index []int) (value float64, ok bool)

// BootstrapMean returns the BCa interval of the mean of x at level. It is undefined for fewer
// than 2 values, for a value that is not finite, and for arguments out of range (see
// Bootstrap). Its width is 0 if all values are equal.
func BootstrapMean(x []float64, level float64, resamples int, seed uint64) Interval {
	b := Bootstrap{Level: level, Resamples: resamples, Seed: seed}
	n := float64(len(x))
	mean := stat.Mean(x, nil)
	if !b.possible(len(x)) || math.IsNaN(mean) || math.IsInf(mean, 0) {
		return Interval{}
	}
	// Without item i the mean is (n·mean − x_i)/(n−1): no second loop is needed.
	jackknife := make([]float64, len(x))
	for i, v := range x {
		jackknife[i] = (n*mean - v) / (n - 1)
	}
	return b.bca(mean, b.replicates(len(x), meanAt(x)), jackknife)
}

// meanAt returns the Statistic of the mean of x.
func meanAt(x []float64) Statistic {
	return func(index []int) (float64, bool) {
		var sum float64
		for _, i := range index {
			sum += x[i]
		}
		return sum / float64(len(index)), true
	}
}

// Percentile returns the percentile interval of s over n items (Efron 1979). Resamples for
// which s is undefined are left out; the interval is undefined if they are more than half, n
// < 2, or b's fields are out of range.
func (b Bootstrap) Percentile(n int, s Statistic) Interval {
	if !b.possible(n) {
		return Interval{}
	}
	return b.between(b.replicates(n, s), (1-b.Level)/2, (1+b.Level)/2)
}

// BCa returns the bias-corrected and accelerated interval of s over n items (Efron 1987), as
// defined by scipy.stats.bootstrap(method="BCa"). It also calls s with each item left out. It
// is undefined in the same cases as Percentile, and if s is undefined for the complete sample
// or without one item.
func (b Bootstrap) BCa(n int, s Statistic) Interval {
	if !b.possible(n) {
		return Interval{}
	}
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	whole, ok := s(index)
	if !ok {
		return Interval{}
	}
	jackknife := make([]float64, n)
	rest := make([]int, n-1)
	for i := range jackknife {
		copy(rest, index[:i])
		copy(rest[i:], index[i+1:])
		if jackknife[i], ok = s(rest); !ok {
			return Interval{}
		}
	}
	return b.bca(whole, b.replicates(n, s), jackknife)
}

// possible reports whether n items can be resampled with the settings of b.
func (b Bootstrap) possible(n int) bool {
	return n >= 2 && b.Resamples >= 1 && b.Level > 0 && b.Level < 1
}

// replicates returns s for each resample, in ascending order, without the undefined values.
func (b Bootstrap) replicates(n int, s Statistic) []float64 {
	r := source(b.Seed)
	index := make([]int, n)
	values := make([]float64, 0, b.Resamples)
	for range b.Resamples {
		for i := range index {
			index[i] = draw(r, n)
		}
		if v, ok := s(index); ok {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// bca shifts the percentile ends by the bias of the sorted replicates relative to the
// complete sample's value, and by the skew of the jackknife.
func (b Bootstrap) bca(whole float64, replicates, jackknife []float64) Interval {
	if len(replicates) == 0 {
		return Interval{}
	}
	if Compare(replicates[0], replicates[len(replicates)-1]) == 0 {
		return b.between(replicates, 0, 1) // no spread, nothing to correct
	}
	below, upTo := equalRange(replicates, whole)
	normal := distuv.UnitNormal
	bias := normal.Quantile(float64(below+upTo) / float64(2*len(replicates)))
	skew := acceleration(jackknife)
	at := func(tail float64) float64 {
		z := bias + normal.Quantile(tail)
		return normal.CDF(bias + z/(1-skew*z))
	}
	return b.between(replicates, at((1-b.Level)/2), at((1+b.Level)/2))
}

// acceleration returns Σ(m−x)³ / 6(Σ(m−x)²)^1.5 over the jackknife values x with mean m, or 0
// if they are all equal.
func acceleration(jackknife []float64) float64 {
	mean := stat.Mean(jackknife, nil)
	var squares, cubes float64
	for _, v := range jackknife {
		d := mean - v
		squares += d * d
		cubes += d * d * d
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// between returns the interval between two quantiles of the sorted replicates, interpolated
// linearly as in numpy.
func (b Bootstrap) between(replicates []float64, low, high float64) Interval {
	if len(replicates) == 0 || 2*len(replicates) < b.Resamples || math.IsNaN(low) || math.IsNaN(high) {
		return Interval{}
	}
	return Interval{Low: quantile(replicates, low), High: quantile(replicates, high), Level: b.Level}
}

// quantile interpolates linearly between the order statistics of sorted x.
func quantile(x []float64, p float64) float64 {
	at := p * float64(len(x)-1)
	i := min(int(at), len(x)-1)
	if i == len(x)-1 {
		return x[i]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}
