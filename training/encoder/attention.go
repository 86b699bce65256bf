package encoder

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// heads cuts the last axis into heads: [B,S,H*d] -> [B,S,H,d].
func heads(x *graph.Node, count int) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(x, d[0], d[1], count, d[2]/count)
}

// attend is scaled dot-product attention, softmax(scale Q K^T + bias) V, with
// q [B,S,H,d], k and v [B,L,K,d] for K heads that each serve H/K heads of q in
// a row, and bias that broadcasts to [B,H,S,L]. It returns [B,S,H*d].
func (n *network) attend(q, k, v, bias *graph.Node, scale float64) *graph.Node {
	d := q.Shape().Dimensions
	batch, length, count, width := d[0], d[1], d[2], d[3]
	keys, groups := k.Shape().Dim(1), k.Shape().Dim(2)
	// The heads that share keys stand in a row and become rows of one matrix.
	matrices := func(x *graph.Node, rows int) *graph.Node {
		return graph.Reshape(swapAxes(x), batch*groups, rows, width)
	}
	rows := count / groups * length
	q = matrices(n.narrow(graph.MulScalar(q, scale)), rows)
	k, v = matrices(n.narrow(k), keys), matrices(n.narrow(v), keys)
	scores := graph.Reshape(wide(scoresOf(q, k)), batch, count, length, keys)
	shares := n.narrow(n.drop(softmax(graph.Add(scores, filled(bias, scores)))))
	mixed := mix(graph.Reshape(shares, batch*groups, rows, keys), v)
	mixed = swapAxes(graph.Reshape(mixed, batch, count, length, width))
	return graph.Reshape(mixed, batch, length, count*width)
}

// scoresOf is Q K^T for batches q [Z,S,d] and k [Z,L,d], [Z,S,L].
func scoresOf(q, k *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		q, k := in[0], in[1]
		y := graph.DotGeneral(q, []int{2}, []int{0}, k, []int{2}, []int{0})
		return y, func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			q, k := now(q), now(k)
			return []*graph.Node{graph.DotGeneral(v, []int{2}, []int{0}, k, []int{1}, []int{0}), transposedProduct(v, q)}
		}
	}, q, k)
}

// mix is P V for batches of shares [Z,S,L] and values [Z,L,d], [Z,S,d].
func mix(shares, values *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		p, w := in[0], in[1]
		y := graph.DotGeneral(p, []int{2}, []int{0}, w, []int{1}, []int{0})
		return y, func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			p, w := now(p), now(w)
			return []*graph.Node{graph.DotGeneral(v, []int{2}, []int{0}, w, []int{2}, []int{0}), transposedProduct(p, v)}
		}
	}, shares, values)
}

// softmax over the last axis.
func softmax(x *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		y := graph.Softmax(in[0], -1)
		return y, func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			y := now(y)
			mean := sumLast(graph.Mul(v, y))
			return []*graph.Node{graph.Mul(y, graph.Sub(v, spread(mean, y.Shape().Dim(-1))))}
		}
	}, x)
}

// filled gives a score bias the shape of the scores [B,H,S,L] where that is
// cheaper than to broadcast it in every layer: all layers share the result.
func filled(bias, scores *graph.Node) *graph.Node {
	const most = 1 << 24 // values
	if !onGo(bias) || scores.Shape().Size() > most {
		return bias
	}
	d := scores.Shape().Dimensions
	if b := bias.Shape().Dimensions; b[1] == 1 && b[2] == 1 && b[3] == d[3] {
		bias = graph.DotGeneral(onesLike(bias, b[0], d[1]*d[2], 1), []int{2}, []int{0}, graph.Reshape(bias, b[0], 1, d[3]), []int{1}, []int{0})
		bias = graph.Reshape(bias, b[0], d[1], d[2], d[3])
	}
	for axis := range 2 {
		if bias.Shape().Dim(axis) == 1 && d[axis] > 1 {
			bias = graph.Concatenate(slices.Repeat([]*graph.Node{bias}, d[axis]), axis)
		}
	}
	return bias
}
