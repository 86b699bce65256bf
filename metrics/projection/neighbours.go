package projection

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"infbench/internal/parallel"
)

// near is another row and its distance.
type near struct {
	row int32
	d2  float64
}

// nearer orders by distance, and by row for equal distances.
func nearer(a, b near) int { return cmp.Or(cmp.Compare(a.d2, b.d2), cmp.Compare(a.row, b.row)) }

// neighbours finds the k nearest other rows of every row, the nearest first, by comparing all
// pairs: trees save nothing in 50 dimensions. Pairs are compared in float32; the distances of
// the selected neighbours are computed in float64.
func neighbours(v Vectors, k int) [][]near {
	out := make([][]near, v.N())
	all := make([]int, v.N())
	for i := range all {
		all[i] = i
	}
	eachDistances(v, all, func(at, row int, apart []float32) {
		found := nearest(apart, row, k)
		for i := range found {
			found[i].d2 = distance2(v.Row(row), v.Row(int(found[i].row)))
		}
		slices.SortFunc(found, nearer)
		out[row] = found
	})
	return out
}

// eachDistances calls do for each of the rows, with its index in rows and its squared
// distances to all rows minus its own square, which does not change their order. It uses all
// processors.
func eachDistances(v Vectors, rows []int, do func(at, row int, apart []float32)) {
	const block = 256
	n, norms := v.N(), make([]float32, v.N())
	parallel.Ranges(n, grain, func(from, to int) {
		for i := from; i < to; i++ {
			norms[i] = float32(squared(v.Row(i)))
		}
	})
	whole := blas32.General{Rows: n, Cols: v.Dim, Stride: v.Dim, Data: v.Values}
	some := blas32.General{Cols: v.Dim, Stride: v.Dim, Data: make([]float32, min(block, len(rows))*v.Dim)}
	apart := blas32.General{Cols: n, Stride: n, Data: make([]float32, min(block, len(rows))*n)}
	for start := 0; start < len(rows); start += block {
		chosen := rows[start:min(start+block, len(rows))]
		some.Rows, apart.Rows = len(chosen), len(chosen)
		for i, row := range chosen {
			copy(some.Data[i*v.Dim:], v.Row(row))
			copy(apart.Data[i*n:(i+1)*n], norms)
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, -2, some, whole, 1, apart)
		parallel.Each(len(chosen), func(i int) { do(start+i, chosen[i], apart.Data[i*n:(i+1)*n]) })
	}
}

// nearest finds the k smallest distances except that to the row itself, in the order of a
// heap.
func nearest[F float32 | float64](apart []F, row, k int) []near {
	heap := make([]near, 0, k) // the farthest first
	for j, d := range apart {
		if j == row {
			continue
		}
		if len(heap) < k {
			heap = append(heap, near{int32(j), float64(d)})
			if len(heap) == k {
				slices.SortFunc(heap, func(a, b near) int { return nearer(b, a) })
			}
		} else if float64(d) < heap[0].d2 {
			heap[0] = near{int32(j), float64(d)}
			sink(heap)
		}
	}
	return heap
}

// sink moves the first element of a heap down to its position.
func sink(heap []near) {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && nearer(heap[child], heap[child+1]) < 0 {
			child++
		}
		if nearer(heap[at], heap[child]) >= 0 {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}
