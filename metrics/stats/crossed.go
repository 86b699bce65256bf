package stats

import "slices"

// CrossedMean returns the percentile interval of the mean of values[row][column],
// a rectangle, where rows and columns are both resampled with replacement and each
// drawn row meets each drawn column: the pigeonhole bootstrap (Owen 2007), for
// values that vary with two things at once, such as training seed and query. It is
// a little wide for either; few rows, as few seeds are, still understate how rows
// vary. It is undefined for a single value, ragged rows, or arguments out of range
// (see Bootstrap).
func CrossedMean(values [][]float64, level float64, resamples int, seed uint64) Interval {
	b := Bootstrap{Level: level, Resamples: resamples, Seed: seed}
	if len(values) == 0 || !b.possible(max(2, len(values[0]))) || len(values)*len(values[0]) < 2 {
		return Interval{}
	}
	rows, columns := len(values), len(values[0])
	for _, row := range values {
		if len(row) != columns {
			return Interval{}
		}
	}
	r := source(seed)
	means := make([]float64, resamples)
	times := make([]float64, columns) // how often each column was drawn
	for i := range means {
		clear(times)
		for range columns {
			times[draw(r, columns)]++
		}
		for range rows {
			for j, v := range values[draw(r, rows)] {
				means[i] += times[j] * v
			}
		}
		means[i] /= float64(rows * columns)
	}
	slices.Sort(means)
	return b.between(means, (1-level)/2, (1+level)/2)
}
