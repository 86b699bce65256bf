package encoder

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// network builds layers over the weights of one model in one graph. Hidden
// states are float32 [B,S,D] throughout. Only operations with a gradient are
// used (GoMLX has none for Rsqrt).
type network struct {
	config *Config
	store  *model.Store
	g      *graph.Graph

	dropout *Dropout // nil but in training
	adapter *LoRA    // nil but in training
}

// weight returns a variable's value in the graph, with its adapter.
func (n *network) weight(name string) *graph.Node {
	return n.adapted(name, n.store.GetVariable("/"+name).NodeValue(n.g))
}

// lookup returns rows of an embedding table, [B,S] -> [B,S,D].
func (n *network) lookup(table string, ids *graph.Node) *graph.Node {
	return graph.Gather(n.weight(table+".weight"), graph.InsertAxes(ids, -1))
}

// linear is x W^T + b with PyTorch's weight layout, W [out,in].
func (n *network) linear(name string, x *graph.Node) *graph.Node {
	return graph.Add(n.project(name, x), graph.ExpandLeftToRank(n.weight(name+".bias"), x.Rank()))
}

// project is linear without a bias.
func (n *network) project(name string, x *graph.Node) *graph.Node {
	return graph.DotGeneral(x, []int{-1}, nil, n.weight(name+".weight"), []int{1}, nil)
}

// maybeLinear is linear where the layer has a bias, else project.
func (n *network) maybeLinear(name string, x *graph.Node) *graph.Node {
	if n.store.GetVariable("/"+name+".bias") == nil {
		return n.project(name, x)
	}
	return n.linear(name, x)
}

// layerNorm normalises the last axis to mean 0 and variance 1, then applies
// the layer's gain and bias.
func (n *network) layerNorm(name string, x *graph.Node) *graph.Node {
	x = n.plainNorm(name, x)
	return graph.Add(x, graph.ExpandLeftToRank(n.weight(name+".bias"), x.Rank()))
}

// plainNorm is layerNorm without bias.
func (n *network) plainNorm(name string, x *graph.Node) *graph.Node {
	return n.rmsNorm(name, graph.Sub(x, meanLast(x)))
}

// rmsNorm divides the last axis by its root mean square and applies the
// layer's gain (Zhang and Sennrich 2019).
func (n *network) rmsNorm(name string, x *graph.Node) *graph.Node {
	x = graph.Div(x, graph.Sqrt(graph.AddScalar(meanLast(graph.Square(x)), n.config.NormEps)))
	return graph.Mul(x, graph.ExpandLeftToRank(n.weight(name+".weight"), x.Rank()))
}

// meanLast is the mean over the last axis, which stays with size 1.
func meanLast(x *graph.Node) *graph.Node {
	return graph.InsertAxes(graph.ReduceMean(x, -1), -1)
}

// activations maps hidden_act of config.json to functions.
func activations() map[string]func(*graph.Node) *graph.Node {
	return map[string]func(*graph.Node) *graph.Node{
		"relu":              func(x *graph.Node) *graph.Node { return graph.MaxScalar(x, 0.0) },
		"gelu":              gelu,
		"gelu_new":          geluTanh,
		"gelu_pytorch_tanh": geluTanh,
		"silu":              silu,
		"swish":             silu,
		"tanh":              graph.Tanh,
	}
}

// activate applies the configuration's activation.
func (n *network) activate(x *graph.Node) *graph.Node {
	return activations()[n.config.HiddenAct](x)
}

// gelu is x Phi(x) with the exact normal distribution (Hendrycks and Gimpel
// 2016).
func gelu(x *graph.Node) *graph.Node {
	phi := graph.MulScalar(graph.AddScalar(graph.Erf(graph.MulScalar(x, math.Sqrt2/2)), 1.0), 0.5)
	return graph.Mul(x, phi)
}

// geluTanh is gelu's approximation by tanh.
func geluTanh(x *graph.Node) *graph.Node {
	inner := graph.Add(x, graph.MulScalar(graph.Mul(x, graph.Square(x)), 0.044715))
	t := graph.Tanh(graph.MulScalar(inner, math.Sqrt(2/math.Pi)))
	return graph.Mul(graph.MulScalar(x, 0.5), graph.AddScalar(t, 1.0))
}

// silu is x sigmoid(x).
func silu(x *graph.Node) *graph.Node { return graph.Mul(x, graph.Logistic(x)) }

// heads cuts the last axis into heads: [B,S,H*d] -> [B,S,H,d].
func heads(x *graph.Node, count int) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(x, d[0], d[1], count, d[2]/count)
}

// attend is scaled dot-product attention, softmax(scale Q K^T + bias) V, with
// q [B,S,H,d], k and v [B,S,K,d] for K heads that each serve H/K heads of q in
// a row, and bias that broadcasts to [B,H,S,S]. It returns [B,S,H*d].
func attend(q, k, v, bias *graph.Node, scale float64) *graph.Node {
	return attendDropping(q, k, v, bias, scale, nil)
}

// attendDropping is attend with dropout on the probabilities.
func attendDropping(q, k, v, bias *graph.Node, scale float64, drop *Dropout) *graph.Node {
	d := q.Shape().Dimensions
	batch, length, count, width := d[0], d[1], d[2], d[3]
	q = graph.MulScalar(q, scale)
	if count == 1 { // spares four transpositions
		q, k, v = flatten(q), flatten(k), flatten(v)
		scores := graph.DotGeneral(q, []int{2}, []int{0}, k, []int{2}, []int{0})
		shares := drop.apply(softmax(graph.Add(scores, graph.Squeeze(bias, 1))))
		return graph.DotGeneral(shares, []int{2}, []int{0}, v, []int{1}, []int{0})
	}
	k, v = serve(k, count), serve(v, count)
	scores := graph.DotGeneral(q, []int{3}, []int{0, 2}, k, []int{3}, []int{0, 2})
	shares := drop.apply(softmax(graph.Add(scores, bias)))
	mixed := graph.DotGeneral(shares, []int{3}, []int{0, 1}, v, []int{1}, []int{0, 2}) // [B,H,S,d]
	return graph.Reshape(graph.TransposeAllAxes(mixed, 0, 2, 1, 3), batch, length, count*width)
}

// flatten joins the last two axes.
func flatten(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	return graph.Reshape(x, d[0], d[1], d[2]*d[3])
}

// serve repeats each of the K heads of x [B,S,K,d] so that there are count.
func serve(x *graph.Node, count int) *graph.Node {
	d := x.Shape().Dimensions
	if d[2] == count {
		return x
	}
	x = graph.InsertAxes(x, 3)
	x = graph.BroadcastToDims(x, d[0], d[1], d[2], count/d[2], d[3])
	return graph.Reshape(x, d[0], d[1], count, d[3])
}

// softmax over the last axis, from plain operations: GoMLX's own computes
// everything twice when a gradient is taken.
func softmax(x *graph.Node) *graph.Node {
	peak := graph.StopGradient(graph.InsertAxes(graph.ReduceMax(x, -1), -1))
	e := graph.Exp(graph.Sub(x, peak))
	return graph.Div(e, graph.InsertAxes(graph.ReduceSum(e, -1), -1))
}

// forbidden is the score of a pair that may not attend: finite, so that a row
// in which everything is forbidden (padding) stays a number.
const forbidden = -1e9

// paddingBias is 0 where a key is a token and forbidden where it is padding,
// [B,S] -> [B,1,1,S].
func paddingBias(mask *graph.Node) *graph.Node {
	return graph.InsertAxes(barred(mask), 1, 1)
}

// bandBias is 0 where key j may be seen from position i, i-before <= j <=
// i+after, and forbidden elsewhere, [1,1,S,S].
func bandBias(g *graph.Graph, length, before, after int) *graph.Node {
	square := shapes.Make(dtypes.Int32, 1, 1, length, length)
	distance := graph.Sub(graph.Iota(g, square, 3), graph.Iota(g, square, 2)) // j - i
	near := graph.LogicalAnd(
		graph.GreaterOrEqual(distance, graph.Scalar(g, dtypes.Int32, -before)),
		graph.LessOrEqual(distance, graph.Scalar(g, dtypes.Int32, after)))
	return barred(near)
}

// barred turns "may attend" into scores: 0 or forbidden.
func barred(allowed *graph.Node) *graph.Node {
	zero := graph.ScalarZero(allowed.Graph(), dtypes.Float32)
	no := graph.Scalar(allowed.Graph(), dtypes.Float32, forbidden)
	return graph.Where(allowed, zero, no)
}

// asBool turns an integer mask into a Boolean one.
func asBool(mask *graph.Node) *graph.Node {
	if mask.DType() == dtypes.Bool {
		return mask
	}
	return graph.NotEqual(mask, graph.ScalarZero(mask.Graph(), mask.DType()))
}
