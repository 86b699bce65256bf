package encoder

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// onGo reports whether a graph runs on the pure Go backend.
func onGo(x *graph.Node) bool { return !Compiles(x.Graph().Backend()) }

// Compiles reports whether a backend compiles a program for each graph, which takes seconds. The
// pure Go backend does not.
func Compiles(b compute.Backend) bool { return b.Name() != "Go Backend" }

// matmul contracts the last axis of a with an axis of the matrix b.
func matmul(a, b *graph.Node, axis int) *graph.Node {
	return graph.DotGeneral(a, []int{-1}, nil, b, []int{axis}, nil)
}

// transposedProduct is a^T b for matrices a [S,M] and b [S,N], [M,N].
func transposedProduct(a, b *graph.Node) *graph.Node {
	return graph.DotGeneral(a, []int{0}, nil, b, []int{0}, nil)
}

// flat joins all axes but the last: [..., D] -> [N, D].
func flat(x *graph.Node) *graph.Node {
	if x.Rank() == 2 {
		return x
	}
	return graph.Reshape(x, -1, x.Shape().Dim(-1))
}

// Sums of products are matrix products on the Go backend, which sums on one core and multiplies
// on all. A device fuses a sum with the products below it, and a matrix product would be a
// separate kernel that reads and writes all of them.

// dotLast is the product of every row of x [..., D] with the vector w [D], [..., 1].
func dotLast(x, w *graph.Node) *graph.Node {
	if !onGo(x) {
		return sumLast(graph.Mul(x, row(w, x)))
	}
	return matmul(x, graph.Reshape(w, 1, -1), 1)
}

// sumLast sums over the last axis and keeps it with size 1.
func sumLast(x *graph.Node) *graph.Node { return graph.InsertAxes(graph.ReduceSum(x, -1), -1) }

// sumRows is the sum of all rows of x [..., D], each times its weight in w
// [..., 1]; nil stands for ones. [D]
func sumRows(x, w *graph.Node) *graph.Node {
	if w == nil {
		return graph.ReduceSum(flat(x), 0)
	}
	if !onGo(x) {
		return graph.ReduceSum(flat(graph.Mul(x, w)), 0)
	}
	return graph.Reshape(matmul(graph.Reshape(w, 1, -1), flat(x), 0), -1)
}

// row is the vector b [D], repeated along the other axes of x [..., D].
func row(b, x *graph.Node) *graph.Node { return graph.ExpandLeftToRank(b, x.Rank()) }
