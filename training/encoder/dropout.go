package encoder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Dropout sets values to zero at random while a network is trained, and scales
// the others so that their mean stays (Srivastava et al. 2014). It falls where
// transformers' BertModel has it, with one rate: on the summed embeddings, on the
// attention probabilities, and on the output of attention and of feed-forward
// before each is added to the residual stream.
type Dropout struct {
	rate  float64
	state *graph.Node
}

// NewDropout drops values with probability rate in [0,1). What is dropped is a
// function of key, uint64 [3], and of the order in which the graph is built.
func NewDropout(rate float64, key *graph.Node) *Dropout {
	return &Dropout{rate: rate, state: key}
}

// apply drops values of x. A nil Dropout and one of rate 0 drop nothing.
func (d *Dropout) apply(x *graph.Node) *graph.Node {
	if d == nil || d.rate == 0 {
		return x
	}
	var draw *graph.Node
	d.state, draw = graph.RandomUniform(d.state, shapes.Make(dtypes.Float32, x.Shape().Dimensions...))
	g := x.Graph()
	kept := graph.Where(graph.GreaterOrEqual(draw, graph.Scalar(g, dtypes.Float32, d.rate)),
		graph.Scalar(g, dtypes.Float32, 1/(1-d.rate)), graph.ScalarZero(g, dtypes.Float32))
	return graph.Mul(x, kept)
}

// errNoDropout is returned for families whose dropout is elsewhere than BERT's.
var errNoDropout = errors.New("dropout is not implemented for this model")

// CheckDropout says whether EmbedDropping drops anything in this network.
func (e *Encoder) CheckDropout() error {
	known := []string{"bert", "mpnet", "roberta", "xlm-roberta"}
	if !slices.Contains(known, e.config.ModelType) {
		return fmt.Errorf("%w: model_type %s (known: %s)", errNoDropout, e.config.ModelType, list(known))
	}
	return nil
}

// StatesDropping is HiddenStates under dropout, for training only.
func (e *Encoder) StatesDropping(ids, mask *graph.Node, d *Dropout) *graph.Node {
	n := e.network(ids.Graph())
	n.dropout = d
	return e.arch.hidden(n, input{ids: ids, mask: asBool(mask)})
}

// EmbedDropping is Embed under dropout, for training only.
func (e *Encoder) EmbedDropping(ids, mask *graph.Node, d *Dropout) *graph.Node {
	return e.Vectors(e.StatesDropping(ids, mask, d), mask)
}
