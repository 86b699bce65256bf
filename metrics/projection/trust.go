package projection

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infbench/internal/parallel"
)

// Fidelity measures how far a map's neighbourhoods can be trusted.
type Fidelity struct {
	K       int     // neighbours per point
	Points  int     // points measured, a random sample if not all
	Trust   float64 // trustworthiness: 1 if all neighbours on the map are true neighbours
	Overlap float64 // share of the K true neighbours among the K neighbours on the map
}

// Trust measures a map of v by Euclidean distance, on a random sample of most points (on all,
// if there are fewer); equal distances are ordered by row. Trustworthiness is that of Venna
// and Kaski 2001, in the form of scikit-learn's function of that name, with the mean over the
// measured points:
//
//	1 − 2/(m·K·(2n−3K−1)) · Σ_i Σ_j max(0, r(i,j)−K)
//
// The sum is over the K neighbours j on the map of each of m points i; r is the rank of j
// among all rows by distance from i, with 1 for the nearest. It needs K < n/2.
func Trust(v Vectors, points []Point, k, most int, seed uint64) (Fidelity, error) {
	n := v.N()
	if k < 1 || 2*k >= n {
		return Fidelity{}, fmt.Errorf("%d neighbours of %d points: want 1 or more and less than half", k, n)
	}
	asked := sample(n, most, seed)
	beyond, shared := make([]int, len(asked)), make([]int, len(asked))
	eachDistances(v, asked, func(at, row int, apart []float32) {
		for _, r := range ranks(apart, row, onMap(points, row, k)) {
			beyond[at] += max(0, r-k)
			if r <= k {
				shared[at]++
			}
		}
	})
	var far, common int
	for i := range asked {
		far, common = far+beyond[i], common+shared[i]
	}
	all := float64(len(asked)) * float64(k)
	return Fidelity{K: k, Points: len(asked), Overlap: float64(common) / all,
		Trust: 1 - 2*float64(far)/(all*float64(2*n-3*k-1))}, nil
}

// sample draws k of n rows, in ascending order.
func sample(n, k int, seed uint64) []int {
	drawn := rand.New(rand.NewPCG(seed, 0x7a57)).Perm(n)[:min(n, k)]
	slices.Sort(drawn)
	return drawn
}

// onMap finds the k neighbours of a point on the map.
func onMap(points []Point, row, k int) []near {
	apart := make([]float64, len(points))
	for j, p := range points {
		apart[j] = p.distance2(points[row])
	}
	return nearest(apart, row, k)
}

// ranks returns the ranks of some rows among all others by distance.
func ranks(apart []float32, row int, of []near) []int {
	out := make([]int, len(of))
	for i, o := range of {
		mine := apart[o.row]
		for j, d := range apart {
			if d < mine || d == mine && j <= int(o.row) {
				out[i]++
			}
		}
		if own := apart[row]; own < mine || own == mine && row < int(o.row) {
			out[i]--
		}
	}
	return out
}

// RandomPlane maps the rows on two random directions: the baseline that a map must beat.
func RandomPlane(v Vectors, seed uint64) []Point {
	r := rand.New(rand.NewPCG(seed, 0x9a5e))
	axes := make([]Point, v.Dim)
	for i := range axes {
		axes[i] = Point{r.NormFloat64(), r.NormFloat64()}
	}
	out := make([]Point, v.N())
	parallel.Ranges(v.N(), grain, func(from, to int) {
		for i := from; i < to; i++ {
			for j, x := range v.Row(i) {
				out[i].X += float64(x) * axes[j].X
				out[i].Y += float64(x) * axes[j].Y
			}
		}
	})
	return out
}
