package encoder

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"
)

// Side is what a bi-encoder reads: queries with their instructions, or
// documents. With a shared encoder both go through the same weights; with
// separate ones (share_encoder false in the reference code) each side has its own.
// The value is what stands before the names of the side's weights in the store
// where encoders are separate.
type Side string

// The sides.
const (
	Queries   Side = ""
	Documents Side = "documents/"
)

// Separate gives documents a copy of all weights of their own, which start equal
// and are trained apart: the reference code's independent deep copies. Both sides
// keep one configuration and one tokenizer. Save writes two folders in one, and
// Open reads them. A model that is separate already stays as it is; one with an
// adapter is refused.
func (e *Encoder) Separate() error {
	switch {
	case e.separate:
		return nil
	case e.adapter != nil:
		return errors.New("separate encoders: the model has an adapter")
	case e.head != nil:
		return errors.New("separate encoders: the model scores pairs")
	}
	for _, t := range e.bothTensors() {
		values, err := e.values(t.name)
		if err != nil {
			return err
		}
		if err := e.variable(string(Documents)+t.name, t.shape, values); err != nil {
			return err
		}
	}
	e.separate = true
	e.forgetGraphs()
	return nil
}

// Separated says whether documents have weights of their own.
func (e *Encoder) Separated() bool { return e.separate }

// sides lists those with weights of their own.
func (e *Encoder) sides() []Side {
	if e.separate {
		return []Side{Queries, Documents}
	}
	return []Side{Queries}
}

// bothTensors lists the weights that each side has: those of the network and of
// what follows pooling, by their names in the store.
func (e *Encoder) bothTensors() []tensor {
	return append(e.tensors(), e.denseTensors()...)
}

// side builds layers over the weights of a side in g.
func (e *Encoder) side(s Side, g *graph.Graph) *network {
	n := e.network(g)
	if e.separate {
		n.prefix = string(s)
	}
	return n
}

// StatesOf is HiddenStates with the weights of a side, in a mode.
func (e *Encoder) StatesOf(s Side, ids, mask *graph.Node, m Mode) *graph.Node {
	n := e.side(s, ids.Graph())
	n.mode = m
	return wide(e.arch.hidden(n, input{ids: ids, mask: asBool(mask)}))
}

// VectorsOf is what the weights of a side make of hidden states [B,S,D]: one
// vector a row, float32 [B,Dim].
func (e *Encoder) VectorsOf(s Side, states, mask *graph.Node) *graph.Node {
	return e.finish(s, Pool(e.config.Text.Pooling, states, mask))
}

// queryVectors is what encodes queries as texts of their own.
func (e *Encoder) queryVectors() *batched {
	if e.separate {
		return &e.queries
	}
	return &e.vectors
}
