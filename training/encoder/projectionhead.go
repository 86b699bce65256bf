package encoder

import (
	"errors"

	"github.com/gomlx/gomlx/core/graph"
)

// projectionHead is the linear layer without bias that Stanford's ColBERT stores with the
// network's weights.
type projectionHead struct{ dim int }

const projectionLayer = "linear"

// projectionHeadOf takes its size from the weights.
func projectionHeadOf(c *Config, _ architecture) (head, error) {
	shape, ok := c.held[projectionLayer+".weight"]
	if !ok || len(shape) != 2 {
		return nil, errors.New("the weights have no matrix linear.weight to project the vectors of tokens")
	}
	return projectionHead{shape[0]}, inRange("the projection's width", shape[0])
}

func (h projectionHead) tensors(c *Config) []tensor {
	return []tensor{{projectionLayer + ".weight", []int{h.dim, c.HiddenSize}, matrix}}
}

func (projectionHead) owns(name string) bool { return hasAnyPrefix(name, projectionLayer+".") }

// project returns the vectors of tokens, [B,S,D] -> [B,S,dim].
func (projectionHead) project(n *network, states *graph.Node) *graph.Node {
	return n.project(projectionLayer, states)
}

// logits are the projected states of all tokens.
func (h projectionHead) logits(n *network, in input) *graph.Node {
	return h.project(n, architectures()[n.config.ModelType].hidden(n, in))
}
