package encoder

import (
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// ModelTypes lists the families, so that tests can cover them all.
func ModelTypes() []string { return slices.Sorted(maps.Keys(architectures())) }

// Activations maps hidden_act to functions.
func Activations() map[string]func(*graph.Node) *graph.Node { return activations() }

// Frequencies is angles.frequencies.
func Frequencies(theta float64, width, positions int, r *RopeScaling, length int) ([]float32, float32) {
	return angles{theta, width, positions, r}.frequencies(length)
}

// EmbedMarked is Embed with the pooling of prompts: types [B,S] are 1 on their tokens.
func (e *Encoder) EmbedMarked(ids, mask, types *graph.Node) *graph.Node {
	return e.network(Queries, ids.Graph()).embed(input{ids: ids, mask: asBool(mask), types: types})
}
