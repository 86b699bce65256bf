package encoder

import "github.com/gomlx/gomlx/core/graph"

// head is what a task puts on a network: a classifier, a language model. Each
// lies in a file of its name.
type head interface {
	// tensors lists the weights of the head by canonical name.
	tensors(c *Config) []tensor
	// owns says that a tensor belongs to the head, so that one which tensors
	// does not list is an error and not left out.
	owns(name string) bool
	// logits builds network and head: float32 [B,K].
	logits(n *network, in input) *graph.Node
}
