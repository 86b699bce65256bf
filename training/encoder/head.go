package encoder

import "github.com/gomlx/gomlx/core/graph"

// head is the part that a task adds to a network: a classifier, a language model. Each is in the
// file of its name.
type head interface {
	// tensors lists the weights of the head by canonical name.
	tensors(c *Config) []tensor
	// owns reports whether a tensor belongs to the head. Such a tensor that tensors does not list
	// is an error and is not left out.
	owns(name string) bool
	// logits builds network and head: float32 [B,K].
	logits(n *network, in input) *graph.Node
}
