package encoder

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// product is x W^T, x [...,in] with W [out,in].
func product(x, w *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		x, w := in[0], in[1]
		return matmul(x, w, 1), func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			x, w := now(x), now(w)
			return []*graph.Node{matmul(v, w, 0), transposedProduct(flat(v), flat(x))}
		}
	}, x, w)
}

// addBias adds the vector b [D] to each row of x [..., D].
func addBias(x, b *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		return graph.Add(in[0], row(in[1], in[0])), func(v *graph.Node, _ func(*graph.Node) *graph.Node) []*graph.Node {
			return []*graph.Node{v, sumRows(v, nil)}
		}
	}, x, b)
}

// normalize divides each row of x [..., D] by the root of its mean square and multiplies it by
// gain [D]; centred rows lose their mean first.
func normalize(x, gain *graph.Node, epsilon float64, centred bool) *graph.Node {
	share := 1 / float64(x.Shape().Dim(-1))
	centre := func(x *graph.Node) *graph.Node {
		if !centred {
			return x
		}
		return graph.Sub(x, graph.MulScalar(sumLast(x), share))
	}
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		x, gain := in[0], in[1]
		y := centre(x)
		square := graph.MulScalar(sumLast(graph.Square(y)), share)
		inverse := graph.Reciprocal(graph.Sqrt(graph.AddScalar(square, epsilon)))
		return graph.Mul(graph.Mul(y, inverse), row(gain, y)), func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			// With y the centred row, r its inverse root and g the gain,
			// dx = r v g - mean(r v g) - y r^3 mean(v g y), dg = sum v y r.
			y, inverse, gain := centre(now(x)), now(inverse), now(gain)
			slope := graph.Mul(v, y)
			cube := graph.Mul(inverse, graph.Square(inverse))
			along := graph.Mul(cube, graph.MulScalar(dotLast(slope, gain), share))
			dx := graph.Sub(graph.Mul(graph.Mul(v, inverse), row(gain, v)), graph.Mul(y, along))
			if centred {
				dx = graph.Sub(dx, graph.Mul(inverse, graph.MulScalar(dotLast(v, gain), share)))
			}
			return []*graph.Node{dx, sumRows(slope, inverse)}
		}
	}, x, gain)
}

// gelu is x Phi(x) with the exact normal distribution (Hendrycks and Gimpel
// 2016).
func gelu(x *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		x := in[0]
		phi := graph.MulScalar(graph.AddScalar(graph.Erf(graph.MulScalar(x, math.Sqrt2/2)), 1.0), 0.5)
		return graph.Mul(x, phi), func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			x, phi := now(x), now(phi)
			density := graph.MulScalar(graph.Exp(graph.MulScalar(graph.Square(x), -0.5)), 1/math.Sqrt(2*math.Pi))
			return []*graph.Node{graph.Mul(v, graph.Add(phi, graph.Mul(x, density)))}
		}
	}, x)
}

// fusedGelu is gelu in one operation if the backend has it. Its gradient costs more than gelu's,
// which keeps the values of erf.
func fusedGelu(x *graph.Node) *graph.Node {
	y, _ := graph.InternalFusedOpCaller(
		func() *graph.Node { return graph.BackendFusedGelu(x, true) },
		func() *graph.Node { return gelu(x) }, true)
	return y
}
