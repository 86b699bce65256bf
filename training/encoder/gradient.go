package encoder

import "github.com/gomlx/gomlx/core/graph"

// vjp returns the gradients of the loss with respect to a function's inputs,
// nil for those that have none, given v, the gradient with respect to its
// output. Values of the forward pass are used through now, which finds them
// again where gradient checkpointing has them computed a second time.
type vjp func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node

// withGradient builds a function of inputs that has a gradient of our own.
// GoMLX derives correct gradients, but for the Go backend wasteful ones: weight
// gradients transpose both operands element by element, and a norm's
// takes some thirty passes over the hidden states.
//
// GoMLX lets only identities have a gradient of their own. The one behind f's
// output builds the gradients of the inputs, and the ones before its inputs hand
// them on. What GoMLX derives for f in between reaches nothing and is
// dropped at compilation; f must have a derivative for that, though.
func withGradient(f func(inputs []*graph.Node) (*graph.Node, vjp), inputs ...*graph.Node) *graph.Node {
	gradients := make([]*graph.Node, len(inputs))
	handles := make([]*graph.Node, len(inputs))
	for i, x := range inputs {
		handles[i] = graph.IdentityWithCustomGradient(x, func(x, _ *graph.Node) *graph.Node {
			if gradients[i] == nil {
				return graph.ZerosLike(x)
			}
			return gradients[i]
		})
	}
	y, backward := f(handles)
	return graph.IdentityWithCustomGradient(y, func(identity, v *graph.Node) *graph.Node {
		seen := map[*graph.Node]*graph.Node{}
		for _, handle := range handles {
			seen[handle] = nil // nothing beyond belongs to f
		}
		match(y, identity.Inputs()[0], seen)
		copy(gradients, backward(v, func(x *graph.Node) *graph.Node { return seen[x] }))
		return v
	})
}

// match pairs node and everything it is made of, up to the keys of seen, with
// the same places in a copy of it.
func match(node, twin *graph.Node, seen map[*graph.Node]*graph.Node) {
	if old, edge := seen[node]; edge {
		if old == nil {
			seen[node] = twin
		}
		return
	}
	seen[node] = twin
	for i, input := range node.Inputs() {
		match(input, twin.Inputs()[i], seen)
	}
}
