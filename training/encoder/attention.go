package encoder

import "github.com/gomlx/gomlx/core/graph"

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
	q = graph.Reshape(n.narrow(graph.MulScalar(q, scale)), batch, length, groups, count/groups, width)
	if keys > squareKeys && n.mode.Dropout == nil && !onGo(q) {
		mixed := attendInBlocks(q, n.narrow(k), n.narrow(v), byGroup(bias, groups), blockKeys)
		return graph.Reshape(n.narrow(mixed), batch, length, count*width)
	}
	scoresOf, mix := scoresOf, mix
	if n.mode.Wide {
		scoresOf = func(q, k *graph.Node) *graph.Node { return perHead(wideDot(q, k)) }
		mix = func(p, w *graph.Node) *graph.Node { return perShares(wideDot(p, w)) }
	}
	scores := graph.Reshape(wide(scoresOf(q, n.narrow(k))), batch, count, length, keys)
	shares := softmax(graph.Add(scores, bias))
	if n.blank {
		shares = graph.Mul(shares, sees(bias))
	}
	shares = n.narrow(n.drop(shares))
	mixed := mix(graph.Reshape(shares, batch, groups, count/groups, length, keys), n.narrow(v))
	return graph.Reshape(mixed, batch, length, count*width)
}

// sees is 1 for a position that may attend to at least one token, else 0: [b,h,S,L] -> [b,h,S,1].
func sees(bias *graph.Node) *graph.Node {
	best := graph.InsertAxes(graph.ReduceMax(bias, -1), -1)
	return graph.ConvertDType(graph.GreaterThan(best, graph.Scalar(bias.Graph(), bias.DType(), forbidden/2)), bias.DType())
}

// byGroup splits the axis of heads, which may be 1, into groups: [b,h,S,L] -> [b,K,g,S,L].
func byGroup(bias *graph.Node, groups int) *graph.Node {
	d := bias.Shape().Dimensions
	groups = min(groups, d[1])
	return graph.Reshape(bias, d[0], groups, d[1]/groups, d[2], d[3])
}

// The products of attention read and write heads in place in the hidden states, without
// transposing: q [B,S,K,g,d], k and v [B,L,K,d], scores and shares [B,K,g,S,L], for K groups of g
// heads that share keys and values.

// scoresOf is Q K^T of each head.
func scoresOf(q, k *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		q, k := in[0], in[1]
		return byHead(q, k), func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			q, k := now(q), now(k)
			return []*graph.Node{byShares(v, k), perKey(v, q)}
		}
	}, q, k)
}

// mix is P V of each head, [B,S,K,g,d].
func mix(shares, values *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		p, w := in[0], in[1]
		return byShares(p, w), func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			p, w := now(p), now(w)
			return []*graph.Node{byHead(v, w), perKey(p, v)}
		}
	}, shares, values)
}

// byHead multiplies each token of a head x [B,S,K,g,d] by each of y [B,L,K,d], [B,K,g,S,L].
func byHead(x, y *graph.Node) *graph.Node { return perHead(graph.Dot(x, y)) }

func perHead(d *graph.DotBuilder) *graph.Node {
	return graph.TransposeAllAxes(d.General([]int{4}, []int{0, 2}, []int{3}, []int{0, 2}), 0, 1, 3, 2, 4)
}

// byShares sums y [B,L,K,d] by the shares x [B,K,g,S,L], [B,S,K,g,d].
func byShares(x, y *graph.Node) *graph.Node { return perShares(graph.Dot(x, y)) }

func perShares(d *graph.DotBuilder) *graph.Node {
	return graph.TransposeAllAxes(d.General([]int{4}, []int{0, 1}, []int{1}, []int{0, 2}), 0, 3, 1, 2, 4)
}

// perKey sums y [B,S,K,g,d] by the shares x [B,K,g,S,L] of each key, [B,L,K,d].
func perKey(x, y *graph.Node) *graph.Node {
	return graph.TransposeAllAxes(graph.DotGeneral(x, []int{2, 3}, []int{0, 1}, y, []int{3, 1}, []int{0, 2}), 0, 2, 1, 3)
}

// softmax over the last axis.
func softmax(x *graph.Node) *graph.Node {
	return withGradient(func(in []*graph.Node) (*graph.Node, vjp) {
		y := graph.Softmax(in[0], -1)
		return y, func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node {
			y := now(y)
			return []*graph.Node{graph.Mul(y, graph.Sub(v, sumLast(graph.Mul(v, y))))}
		}
	}, x)
}
