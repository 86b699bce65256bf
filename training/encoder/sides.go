package encoder

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"
)

// Side is the kind of text that a bi-encoder reads: queries with their instructions, or
// documents. With a shared encoder both use the same weights; with separate ones (share_encoder
// false in the reference code) each side has its own. The value is the prefix of the names of the
// side's weights in the store if encoders are separate.
type Side string

// The sides.
const (
	Queries   Side = ""
	Documents Side = "documents/"
)

// Separate gives documents their own copy of all weights. The copies start equal and are trained
// separately, like the reference code's independent deep copies. Both sides keep one
// configuration and one tokenizer. Save writes two folders in one, and Open reads them. A model
// that is already separate does not change; a model with an adapter is an error.
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

// Separated reports whether documents have their own weights.
func (e *Encoder) Separated() bool { return e.params.separate }

// StatesOf is HiddenStates with the weights of a side, in a mode.
func (e *Encoder) StatesOf(s Side, ids, mask *graph.Node, m Mode) *graph.Node {
	return e.params.network(s, ids.Graph(), m).states(input{ids: ids, mask: asBool(mask)})
}

// VectorsOf turns hidden states [B,S,D] into vectors with the weights of a side: one vector per
// row, float32 [B,Width].
func (e *Encoder) VectorsOf(s Side, states, mask *graph.Node) *graph.Node {
	return e.network(s, states.Graph()).vectors(states, mask)
}
