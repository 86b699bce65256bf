package encoder

import "github.com/gomlx/gomlx/core/graph"

// vjp returns the gradients of the loss with respect to a function's inputs, given v, the
// gradient with respect to its output; nil for inputs without a gradient. Values of the forward
// pass must be used through now, which finds their second computation under gradient
// checkpointing.
type vjp func(v *graph.Node, now func(*graph.Node) *graph.Node) []*graph.Node

// withGradient builds a function of inputs with a custom gradient. GoMLX derives correct
// gradients, but they are wasteful on the Go backend: weight gradients transpose both operands
// element by element, and a norm's gradient takes some thirty passes over the hidden states.
//
// GoMLX only lets identities have a custom gradient. The identity after f's output builds the
// gradients of the inputs, and the identities before its inputs pass them on. The gradient that
// GoMLX derives for f in between is not used and is dropped at compilation, but f must have a
// derivative for it.
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
			seen[handle] = nil // nodes beyond do not belong to f
		}
		match(y, identity.Inputs()[0], seen)
		copy(gradients, backward(v, func(x *graph.Node) *graph.Node { return seen[x] }))
		return v
	})
}

// match pairs node and all its inputs, up to the keys of seen, with the corresponding nodes of a
// copy.
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
