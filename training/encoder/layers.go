package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// network builds layers over the weights of one model in one graph. Hidden states [B,S,D] between
// layers are float32; inside a layer they have the precision of the mode. Only operations with a
// gradient are used (GoMLX has none for Rsqrt).
type network struct {
	config *Config
	arch   architecture
	dense  denses
	store  *model.Store
	g      *graph.Graph
	prefix string // of the names of all weights, such as "embedding_model."

	mode    Mode  // of evaluation, or of a training step
	blank   bool  // a row that may attend to no token gets zero; else it mixes all tokens equally
	adapter *LoRA // only in training; else nil
}

// states returns the last hidden states float32 [B,S,D].
func (n *network) states(in input) *graph.Node { return wide(n.arch.hidden(n, in)) }

// vectors turns hidden states [B,S,D] into one vector per row, float32 [B,Dim].
func (n *network) vectors(states, mask *graph.Node) *graph.Node {
	return n.finish(Pool(n.config.Text.Pooling, states, mask))
}

// finish projects pooled states [B,D] and scales them to their length.
func (n *network) finish(v *graph.Node) *graph.Node {
	v = n.projected(v)
	if n.config.Text.Normalize && !n.mode.Pooled {
		v = graph.L2Normalize(v, -1)
	}
	return v
}

// embed builds the vectors of sequences in the form of Tokens.marked.
func (n *network) embed(in input) *graph.Node {
	states, pooled := n.states(input{ids: in.ids, mask: in.mask}), in.mask
	if n.config.Text.Prompt.Excludes() {
		pooled = graph.LogicalAnd(pooled, graph.LogicalNot(asBool(in.types)))
	}
	return n.vectors(states, pooled)
}

// weight returns a variable's value in the graph.
func (n *network) weight(name string) *graph.Node {
	return n.store.GetVariable("/" + n.prefix + name).NodeValue(n.g)
}

// lookup returns rows of an embedding table, [B,S] -> [B,S,D].
func (n *network) lookup(table string, ids *graph.Node) *graph.Node {
	weights := n.weight(table + ".weight")
	if rows, ok := n.mode.Lookups.of(n.prefix+table, weights, ids); ok {
		return rows
	}
	return graph.Gather(weights, graph.InsertAxes(ids, -1))
}

// linear is x W^T + b with PyTorch's weight layout, W [out,in].
func (n *network) linear(name string, x *graph.Node) *graph.Node {
	// The bias is added in float32, because its gradient is a sum over all tokens.
	return n.between(addBias(wide(n.project(name, x)), n.weight(name+".bias")))
}

// project is linear without a bias, with the layer's adapter.
func (n *network) project(name string, x *graph.Node) *graph.Node {
	y := n.product(x, n.weight(name+".weight"))
	if branch := n.adapted(n.prefix+name, x); branch != nil {
		y = graph.Add(y, branch)
	}
	return y
}

// product is x W^T in the precision of the mode.
func (n *network) product(x, w *graph.Node) *graph.Node {
	if n.mode.Wide {
		return wideDot(n.narrow(x), n.narrow(w)).General([]int{-1}, nil, []int{1}, nil)
	}
	return product(n.narrow(x), n.narrow(w))
}

// wideDot is a product of bfloat16 numbers with float32 results, for Mode.Wide.
func wideDot(x, y *graph.Node) *graph.DotBuilder {
	return graph.Dot(x, y).WithOutputDType(dtypes.Float32)
}

// maybeLinear is linear if the layer has a bias, else project.
func (n *network) maybeLinear(name string, x *graph.Node) *graph.Node {
	if n.store.GetVariable("/"+n.prefix+name+".bias") == nil {
		return n.project(name, x)
	}
	return n.linear(name, x)
}

// layerNorm normalises the last axis to mean 0 and variance 1, then applies
// the layer's gain and bias.
func (n *network) layerNorm(name string, x *graph.Node) *graph.Node {
	return addBias(n.plainNorm(name, x), n.weight(name+".bias"))
}

// plainNorm is layerNorm without bias.
func (n *network) plainNorm(name string, x *graph.Node) *graph.Node {
	return normalize(wide(x), n.weight(name+".weight"), n.config.NormEps, true)
}

// maybeNorm is layerNorm if the layer has a bias, else plainNorm.
func (n *network) maybeNorm(name string, x *graph.Node) *graph.Node {
	if n.store.GetVariable("/"+n.prefix+name+".bias") == nil {
		return n.plainNorm(name, x)
	}
	return n.layerNorm(name, x)
}

// rmsNorm divides the last axis by its root mean square and applies the
// layer's gain (Zhang and Sennrich 2019).
func (n *network) rmsNorm(name string, x *graph.Node) *graph.Node {
	return normalize(wide(x), n.weight(name+".weight"), n.config.NormEps, false)
}

// forbidden is the score of a pair that may not attend. It is finite, so that a row in which
// everything is forbidden (padding) stays finite.
const forbidden = -1e9

// paddingBias is 0 if a key is a token and forbidden if it is padding, [B,S] -> [B,1,1,S].
func paddingBias(mask *graph.Node) *graph.Node {
	return graph.InsertAxes(barred(mask), 1, 1)
}

// bandBias is 0 if position i may see key j, i-before <= j <= i+after, and forbidden elsewhere,
// [1,1,S,S].
func bandBias(g *graph.Graph, length, before, after int) *graph.Node {
	square := shapes.Make(dtypes.Int32, 1, 1, length, length)
	distance := graph.Sub(graph.Iota(g, square, 3), graph.Iota(g, square, 2))
	return barred(graph.LogicalAnd(
		graph.GreaterOrEqual(distance, graph.Scalar(g, dtypes.Int32, -before)),
		graph.LessOrEqual(distance, graph.Scalar(g, dtypes.Int32, after))))
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
