package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Dropout sets values to zero at random during training and scales the others so that their mean
// does not change (Srivastava et al. 2014). It is applied where the transformers class of the
// family applies it, with one rate for all places:
//
//	BERT, RoBERTa, MPNet    embeddings, attention probabilities, output of
//	                        attention and of feed-forward
//	DistilBERT              the same except for the output of attention
//	ModernBERT              embeddings, attention probabilities, output of
//	                        attention, input of the last feed-forward matrix
//	Llama, Qwen2, Mistral   attention probabilities
//	T5                      embeddings, attention probabilities, output of attention
//	                        and of feed-forward, input of its last matrix, last norm
type Dropout struct {
	rate  float64
	state *graph.Node
}

// NewDropout drops values with probability rate in [0,1). The dropped values are a function of
// key, uint64 [3], and of the order in which the graph is built.
func NewDropout(rate float64, key *graph.Node) *Dropout {
	return &Dropout{rate: rate, state: key}
}

// apply drops values of x. A nil Dropout and one of rate 0 drop nothing.
func (d *Dropout) apply(x *graph.Node) *graph.Node {
	if d == nil {
		return x
	}
	return d.at(d.rate, x)
}

// at drops values of x with another probability. A nil Dropout drops nothing.
func (d *Dropout) at(rate float64, x *graph.Node) *graph.Node {
	if d == nil || rate == 0 {
		return x
	}
	var draw *graph.Node
	d.state, draw = graph.RandomUniform(d.state, shapes.Make(dtypes.Float32, x.Shape().Dimensions...))
	g := x.Graph()
	kept := graph.Where(graph.GreaterOrEqual(draw, graph.Scalar(g, dtypes.Float32, rate)),
		graph.Scalar(g, dtypes.Float32, 1/(1-rate)), graph.ScalarZero(g, dtypes.Float32))
	return graph.Mul(x, graph.ConvertDType(kept, x.DType()))
}

// update replaces the state of the generator by a function of it.
func (d *Dropout) update(by func(*graph.Node) *graph.Node) {
	if d != nil {
		d.state = by(d.state)
	}
}
