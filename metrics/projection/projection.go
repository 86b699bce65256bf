// Package projection makes two-dimensional maps of vectors: by principal components,
// which keeps what is far apart, and by t-SNE, which keeps what is near. A map can
// lie, so the package also says how far one is to be trusted. What the vectors are of,
// and how a map is drawn, is not its business.
//
// The t-SNE is its own: the one module for Go that was found
// (github.com/danaugrs/go-tsne) compares all pairs in every step, draws from a source
// that cannot be seeded, and has stood still since 2020.
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

// N is the number of rows.
func (v Vectors) N() int { return len(v.Values) / max(1, v.Dim) }

// Row is row i.
func (v Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim] }

// Unit scales every row to length 1 in place, after which the order of Euclidean
// distances is that of cosines. It refuses rows without a direction.
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

// squared is the sum of squares.
func squared(row []float32) (sum float64) {
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	return sum
}

// distance2 is the squared Euclidean distance.
func distance2(a, b []float32) (sum float64) {
	for i, x := range a {
		d := float64(x) - float64(b[i])
		sum += d * d
	}
	return sum
}

// Point is a place on a map.
type Point struct{ X, Y float64 }

// distance2 is the squared distance of two places.
func (p Point) distance2(q Point) float64 {
	return (p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y)
}

// grain is how many points a processor takes at a time.
const grain = 128
