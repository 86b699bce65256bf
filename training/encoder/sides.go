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
	case e.params.separate:
		return nil
	case e.params.adapter != nil:
		return errors.New("separate encoders: the model has an adapter")
	case e.params.head != nil:
		return errors.New("separate encoders: the model scores pairs")
	}
	if err := e.params.separateFrom(e.params); err != nil {
		return err
	}
	e.passes.reset()
	return nil
}

// Separated says whether documents have weights of their own.
func (e *Encoder) Separated() bool { return e.params.separate }

// StatesOf is HiddenStates with the weights of a side, in a mode.
func (e *Encoder) StatesOf(s Side, ids, mask *graph.Node, m Mode) *graph.Node {
	return e.params.network(s, ids.Graph(), m).states(input{ids: ids, mask: asBool(mask)})
}

// VectorsOf is what the weights of a side make of hidden states [B,S,D]: one
// vector a row, float32 [B,Width].
func (e *Encoder) VectorsOf(s Side, states, mask *graph.Node) *graph.Node {
	return e.network(s, states.Graph()).vectors(states, mask)
}
