package encoder

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// The operations of this file exist in GoMLX. Its Go backend, though, walks
// broadcasts, reductions and transpositions element by element (4, 3.5 and 6 to
// 20 ns each on a 2.5 GHz Xeon), while its matrix products use vector
// instructions and all cores: products with ones broadcast and reduce in 0.5 and
// 0.2 ns. A product with 1 is exact. Other backends fuse the plain operations
// themselves, and may round the operands of products to fewer bits.

// onGo says whether a graph runs on the pure Go backend.
func onGo(x *graph.Node) bool { return x.Graph().Backend().Name() == "Go Backend" }

// onesLike is a tensor of ones with x's data type.
func onesLike(x *graph.Node, dims ...int) *graph.Node {
	return graph.Ones(x.Graph(), shapes.Make(x.DType(), dims...))
}

// matmul contracts the last axis of a with an axis of the matrix b.
func matmul(a, b *graph.Node, axis int) *graph.Node {
	return graph.DotGeneral(a, []int{-1}, nil, b, []int{axis}, nil)
}

// flat joins all axes but the last: [..., D] -> [N, D].
func flat(x *graph.Node) *graph.Node {
	if x.Rank() == 2 {
		return x
	}
	return graph.Reshape(x, -1, x.Shape().Dim(-1))
}

// dotLast is the product of every row of x [..., D] with the vector w [D], [..., 1].
func dotLast(x, w *graph.Node) *graph.Node {
	if onGo(x) {
		return matmul(x, graph.Reshape(w, 1, -1), 1)
	}
	return graph.InsertAxes(graph.ReduceSum(graph.Mul(x, graph.ExpandLeftToRank(w, x.Rank())), -1), -1)
}

// sumLast sums over the last axis, which stays with size 1.
func sumLast(x *graph.Node) *graph.Node {
	if onGo(x) {
		return matmul(x, onesLike(x, 1, x.Shape().Dim(-1)), 1)
	}
	return graph.InsertAxes(graph.ReduceSum(x, -1), -1)
}

// sumRows is the sum of all rows of x [..., D], each times its weight in w
// [..., 1]; nil stands for ones. [D]
func sumRows(x, w *graph.Node) *graph.Node {
	x = flat(x)
	if w == nil {
		w = onesLike(x, x.Shape().Dim(0), 1)
	}
	w = graph.Reshape(w, 1, -1)
	return graph.Reshape(matmul(w, x, 0), -1)
}

// outer is the table of products of a [..., 1] with the vector b [D], [..., D].
func outer(a, b *graph.Node) *graph.Node {
	if onGo(a) {
		return matmul(a, graph.Reshape(b, 1, -1), 0)
	}
	return graph.Mul(a, graph.ExpandLeftToRank(b, a.Rank()))
}

// spread repeats a [..., 1] width times along the last axis.
func spread(a *graph.Node, width int) *graph.Node { return outer(a, onesLike(a, width)) }

// under repeats the vector b [D] under each row of x [..., D'], [..., D].
func under(b, x *graph.Node) *graph.Node {
	dims := slices.Clone(x.Shape().Dimensions)
	dims[len(dims)-1] = 1
	return outer(onesLike(b, dims...), b)
}

// padRows appends rows of zeros to matrices that are to be transposed. The Go
// backend writes a column with steps of a row of the result; where those are
// multiples of a memory page, all fall into one set of the cache, and it takes three
// times as long.
func padRows(list ...*graph.Node) []*graph.Node {
	const line, page = 16, 1024 // of float32 values
	if n := list[0].Shape().Dim(0); !onGo(list[0]) || n%page != 0 {
		return list
	}
	padded := make([]*graph.Node, len(list))
	for i, x := range list {
		none := graph.Zeros(x.Graph(), shapes.Make(x.DType(), line, x.Shape().Dim(1)))
		padded[i] = graph.Concatenate([]*graph.Node{x, none}, 0)
	}
	return padded
}

// transposedProduct is a^T b for matrices a [S,M] and b [S,N] or for batches of
// them, [M,N]. The Go backend would transpose both.
func transposedProduct(a, b *graph.Node) *graph.Node {
	var batch []int
	order := []int{1, 0}
	if a.Rank() == 3 {
		batch, order = []int{0}, []int{0, 2, 1}
	} else {
		list := padRows(a, b)
		a, b = list[0], list[1]
	}
	flip := func(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, order...) }
	inner := len(batch)
	times := func(a, b *graph.Node) *graph.Node {
		return graph.DotGeneral(flip(a), []int{-1}, batch, b, []int{inner}, batch)
	}
	s, m, n := a.Shape().Dim(inner), a.Shape().Dim(-1), b.Shape().Dim(-1)
	// Values that are moved. Of two ways about as long the second is taken: layers
	// that share an input share its transposition.
	if s*m*5/4 < s*n+m*n {
		return times(a, b)
	}
	return flip(times(b, a))
}

// swapAxes exchanges axes 1 and 2 of x [A,B,C,D].
func swapAxes(x *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		return swapped(in[0]), func(v *graph.Node, _ func(*graph.Node) *graph.Node) []*graph.Node {
			return []*graph.Node{swapped(v)}
		}
	}, x)
}

// swapped is swapAxes without a gradient of its own. Slices and their
// concatenation copy whole rows at a time.
func swapped(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	switch {
	case d[1] == 1 || d[2] == 1:
		return graph.Reshape(x, d[0], d[2], d[1], d[3])
	case !onGo(x):
		return graph.TransposeAllAxes(x, 0, 2, 1, 3)
	}
	along := 1 // the shorter axis is cut
	if d[2] < d[1] {
		along = 2
	}
	parts := make([]*graph.Node, d[along])
	for i := range parts {
		part := graph.SliceAxis(x, along, graph.AxisElem(i))
		shape := []int{d[0], d[2], 1, d[3]}
		if along == 2 {
			shape = []int{d[0], 1, d[1], d[3]}
		}
		parts[i] = graph.Reshape(part, shape...)
	}
	return graph.Concatenate(parts, 3-along)
}
