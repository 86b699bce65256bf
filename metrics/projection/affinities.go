package projection

import (
	"cmp"
	"math"
	"slices"

	"infbench/internal/parallel"
)

// affinities are the joint probabilities p of t-SNE, a sparse symmetric matrix with sum 1:
// row i holds entries starts[i] to starts[i+1].
type affinities struct {
	starts  []int
	columns []int32
	p       []float64
}

// newAffinities gives every row's neighbours Gaussian weights with this perplexity, and makes
// them symmetric: p_ij = (p_j|i + p_i|j) / 2n (van der Maaten and Hinton 2008).
func newAffinities(all [][]near, perplexity float64) *affinities {
	n := len(all)
	weights := make([][]float64, n)
	parallel.Ranges(n, grain, func(from, to int) {
		for i := from; i < to; i++ {
			slices.SortFunc(all[i], func(a, b near) int { return cmp.Compare(a.row, b.row) })
			weights[i] = calibrate(all[i], perplexity)
		}
	})
	toward := reversed(all, weights)
	a := &affinities{starts: make([]int, 1, n+1)}
	for i := range n {
		a.join(all[i], weights[i], toward[i], 1/float64(2*n))
		a.starts = append(a.starts, len(a.columns))
	}
	return a
}

// calibrate finds the weights exp(−βd²), scaled to sum 1, whose entropy is the logarithm of
// the perplexity.
func calibrate(neighbours []near, perplexity float64) []float64 {
	const steps, tolerance = 100, 1e-7
	least, mean := math.Inf(1), 0.0
	for _, other := range neighbours {
		least = min(least, other.d2)
		mean += other.d2 / float64(len(neighbours))
	}
	beta, low, high := 1.0, 0.0, math.Inf(1)
	if mean > least {
		beta = 1 / (mean - least)
	}
	weights, want := make([]float64, len(neighbours)), math.Log(perplexity)
	for range steps {
		surplus := gaussian(weights, neighbours, beta, least) - want
		switch {
		case math.Abs(surplus) < tolerance:
			return weights
		case surplus > 0:
			if low = beta; math.IsInf(high, 1) {
				beta *= 2
				continue
			}
		default:
			high = beta
		}
		beta = (low + high) / 2
	}
	return weights // the closest reached: with equal distances no weights have the entropy
}

// gaussian sets the weights for β and returns their entropy.
func gaussian(weights []float64, neighbours []near, beta, least float64) float64 {
	var sum, moment float64
	for i, other := range neighbours {
		beyond := other.d2 - least // the nearest has weight 1, so the sum never underflows to 0
		weights[i] = math.Exp(-beta * beyond)
		sum += weights[i]
		moment += beyond * weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return math.Log(sum) + beta*moment/sum
}

// entry is a weight of a sparse row.
type entry struct {
	column int32
	weight float64
}

// reversed lists, for every row, the rows that have it as a neighbour, in ascending order.
func reversed(all [][]near, weights [][]float64) [][]entry {
	out := make([][]entry, len(all))
	for i, neighbours := range all {
		for k, other := range neighbours {
			out[other.row] = append(out[other.row], entry{int32(i), weights[i][k]})
		}
	}
	return out
}

// join adds the row's entries of both directions, with each weight times scale.
func (a *affinities) join(from []near, weights []float64, toward []entry, scale float64) {
	add := func(column int32, weight float64) {
		if last := len(a.columns) - 1; last >= a.starts[len(a.starts)-1] && a.columns[last] == column {
			a.p[last] += scale * weight
			return
		}
		a.columns, a.p = append(a.columns, column), append(a.p, scale*weight)
	}
	for len(from) > 0 || len(toward) > 0 {
		if len(toward) == 0 || len(from) > 0 && from[0].row <= toward[0].column {
			add(from[0].row, weights[0])
			from, weights = from[1:], weights[1:]
		} else {
			add(toward[0].column, toward[0].weight)
			toward = toward[1:]
		}
	}
}
