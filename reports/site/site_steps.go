package site

import (
	"math"
	"slices"
)

// leastGain is what a step must explain, in variances of the noise: a lone jump
// of 3.5 standard deviations at the end of a long series is one.
const leastGain = 12

// steps finds where the mean of a series changes, by binary segmentation: the
// split that explains most is a step where it takes more than
// max(12, 3 ln n) noise variances off the sum of squares (a BIC-like penalty for
// changes of the mean), and both halves are searched in turn. The noise is
// estimated from the differences of neighbours by their median, which steps do
// not move. A series without noise, as the same program on the same data gives,
// has a step wherever it changes. It returns the first index after each step,
// ascending.
func steps(values []float64) []int {
	n := len(values)
	if n < 2 {
		return nil
	}
	noise := noiseOf(values)
	penalty := max(leastGain, 3*math.Log(float64(n))) * noise * noise
	var out []int
	var search func(from, to int)
	search = func(from, to int) {
		at, gain := bestSplit(values[from:to])
		if at == 0 || gain <= penalty {
			return
		}
		search(from, from+at)
		out = append(out, from+at)
		search(from+at, to)
	}
	search(0, n)
	return out
}

// leastNoise is the smallest noise: differences below it are rounding.
const leastNoise = 1e-9

// noiseOf estimates the standard deviation of a series about its means. Too few
// values to tell noise from steps have none.
func noiseOf(values []float64) float64 {
	d := make([]float64, 0, len(values)-1)
	for i := 1; i < len(values); i++ {
		d = append(d, math.Abs(values[i]-values[i-1]))
	}
	slices.Sort(d)
	if len(d) < 4 {
		return max(leastNoise, d[0]) // all but the smallest may be steps
	}
	const normal = 1.4826 // standard deviations in a median absolute deviation
	return max(leastNoise, normal*d[len(d)/2]/math.Sqrt2)
}

// bestSplit returns the split of a series whose halves' means explain most, and
// how much of the sum of squares that is; 0 where there is none.
func bestSplit(values []float64) (at int, gain float64) {
	var total float64
	for _, v := range values {
		total += v
	}
	n := float64(len(values))
	var left float64
	for i := 1; i < len(values); i++ {
		left += values[i-1]
		k := float64(i)
		d := left/k - (total-left)/(n-k)
		if g := d * d * k * (n - k) / n; g > gain {
			at, gain = i, g
		}
	}
	return at, gain
}

func average(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
