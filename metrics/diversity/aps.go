package diversity

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"infbench/metrics/stats"
)

// APS accumulates the average pairwise similarity: the mean cosine over all unordered pairs
// of vectors, in [-1,1]; lower means more diverse. It keeps only the sum of the unit vectors,
// so n vectors of d dimensions take O(n·d) time and O(d) memory: APS = (|Σu|² − n) /
// (n(n−1)).
type APS struct {
	n    int
	sum  []float64
	unit []float64 // scratch
}

// ErrZeroVector reports a zero vector, which has no direction and so no cosine.
var ErrZeroVector = errors.New("vector is zero")

// Add counts one vector, which it does not keep. It returns an error for a zero vector, for
// values that are not finite, and for a length other than that of the first vector.
func (a *APS) Add(v []float64) error {
	if a.n == 0 {
		a.sum, a.unit = make([]float64, len(v)), make([]float64, len(v))
	}
	if err := a.normalize(v); err != nil {
		return err
	}
	floats.Add(a.sum, a.unit)
	a.n++
	return nil
}

// normalize sets a.unit to v divided by its length.
func (a *APS) normalize(v []float64) error {
	if len(v) != len(a.sum) {
		return fmt.Errorf("vector of %d dimensions among vectors of %d", len(v), len(a.sum))
	}
	norm := floats.Norm(v, 2)
	switch {
	case norm == 0:
		return ErrZeroVector
	case math.IsNaN(norm) || math.IsInf(norm, 0):
		return errors.New("vector holds a value that is not finite")
	}
	floats.ScaleTo(a.unit, 1/norm, v)
	return nil
}

// N returns the number of vectors.
func (a *APS) N() int { return a.n }

// Value returns the APS; it is undefined for fewer than 2 vectors.
func (a *APS) Value() stats.Number {
	if a.n < 2 {
		return stats.Number{}
	}
	n := float64(a.n)
	return stats.Defined((floats.Dot(a.sum, a.sum) - n) / (n * (n - 1)))
}

// ToOthers returns the mean cosine of v, one of the added vectors, to all others: a second
// pass over the vectors gives the input of Interval. It fails in the same cases as Add, and
// if fewer than 2 vectors were added.
func (a *APS) ToOthers(v []float64) (float64, error) {
	if a.n < 2 {
		return 0, errors.New("similarity to others needs 2 vectors")
	}
	if err := a.normalize(v); err != nil {
		return 0, err
	}
	return (floats.Dot(a.sum, a.unit) - 1) / float64(a.n-1), nil
}

// Interval returns the bootstrap interval of the APS at level, from each vector's mean cosine
// to the others (ToOthers). It resamples the first-order projection of this U-statistic
// (Hoeffding 1948): APS* = APS + 2(mean of the resampled values − APS). That takes O(n) per
// resample and, unlike resampling vectors, never pairs a text with its own copy.
func (a *APS) Interval(toOthers []float64, level float64, resamples int, seed uint64) stats.Interval {
	value, ok := a.Value().Get()
	i := stats.BootstrapMean(toOthers, level, resamples, seed)
	if _, _, defined := i.Get(); !ok || !defined {
		return stats.Interval{}
	}
	i.Low = max(-1, value+2*(i.Low-value))
	i.High = min(1, value+2*(i.High-value))
	return i
}
