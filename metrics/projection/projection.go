// Package projection makes two-dimensional maps of vectors: with principal components, which
// preserve large distances, and with t-SNE, which preserves neighbourhoods. A map can
// mislead, so the package also measures how far it can be trusted. It knows neither the
// meaning of the vectors nor how a map is drawn.
//
// It has its own t-SNE: the only Go module found (github.com/danaugrs/go-tsne) compares all
// pairs in every step, uses a random source that cannot be seeded, and has been unmaintained
// since 2020.
package projection

import (
	"fmt"
	"math"
)

// Vectors are rows of Dim values each.
type Vectors struct {
	Values []float32
	Dim    int
}

// N returns the number of rows.
func (v Vectors) N() int { return len(v.Values) / max(1, v.Dim) }

// Row returns row i.
func (v Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim] }

// Unit scales every row to length 1 in place. The order of Euclidean distances is then that
// of cosines. It returns an error for rows without a direction.
func (v Vectors) Unit() error {
	for i := range v.N() {
		row := v.Row(i)
		length := math.Sqrt(squared(row))
		if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
			return fmt.Errorf("vector %d is zero or not finite", i+1)
		}
		for j := range row {
			row[j] = float32(float64(row[j]) / length)
		}
	}
	return nil
}

// squared returns the sum of squares.
func squared(row []float32) (sum float64) {
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	return sum
}

// distance2 returns the squared Euclidean distance.
func distance2(a, b []float32) (sum float64) {
	for i, x := range a {
		d := float64(x) - float64(b[i])
		sum += d * d
	}
	return sum
}

// Point is a position on a map.
type Point struct{ X, Y float64 }

// distance2 returns the squared distance of two positions.
func (p Point) distance2(q Point) float64 {
	return (p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y)
}

// grain is the number of points that a processor takes at a time.
const grain = 128
