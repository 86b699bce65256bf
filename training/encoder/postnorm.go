package encoder

import (
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// postNorm is the layer of the original Transformer encoder, norm(x + attention(x)) and then
// norm(x + feed-forward(x)), with a family's names of its parts. BERT and its kin differ only in
// names, embeddings and score biases.
type postNorm struct {
	layer         string // with %d for the number
	q, k, v, o    string
	attentionNorm string
	up, down      string
	norm          string

	keepsAttention bool // no dropout on attention's output
}

// tensors lists the weights of all layers.
func (p postNorm) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	var list []tensor
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf(p.layer, i)
		for _, part := range []string{p.q, p.k, p.v} {
			list = append(list, linearTensors(layer+part, d, d, matrix)...)
		}
		list = append(list, linearTensors(layer+p.o, d, d, output)...)
		list = append(list, normTensors(layer+p.attentionNorm, d)...)
		list = append(list, linearTensors(layer+p.up, f, d, matrix)...)
		list = append(list, linearTensors(layer+p.down, d, f, output)...)
		list = append(list, normTensors(layer+p.norm, d)...)
	}
	return list
}

// build applies all layers to x [B,S,D] with a score bias that broadcasts to
// [B,H,S,S].
func (p postNorm) build(n *network, x, bias *graph.Node) *graph.Node {
	count := n.config.NumAttentionHeads
	scale := 1 / math.Sqrt(float64(n.config.HiddenSize/count))
	for i := range n.config.NumHiddenLayers {
		layer := fmt.Sprintf(p.layer, i)
		x = n.beginBlock(x)
		q := heads(n.linear(layer+p.q, x), count)
		k := heads(n.linear(layer+p.k, x), count)
		v := heads(n.linear(layer+p.v, x), count)
		mixed := n.linear(layer+p.o, n.attend(q, k, v, bias, scale))
		if !p.keepsAttention {
			mixed = n.drop(mixed)
		}
		x = n.layerNorm(layer+p.attentionNorm, residual(x, mixed))
		inner := n.activate(n.linear(layer+p.up, x))
		x = n.layerNorm(layer+p.norm, residual(x, n.drop(n.linear(layer+p.down, inner))))
	}
	return n.endBlocks(x)
}

// linearTensors are the weight [out,in] and bias [out] of a linear layer.
func linearTensors(name string, out, in int, s start) []tensor {
	return []tensor{{name + ".weight", []int{out, in}, s}, {name + ".bias", []int{out}, zeros}}
}

// maybeLinearTensors are the weight [out,in] of a linear layer, and its bias if it has one.
func maybeLinearTensors(name string, out, in int, s start, bias bool) []tensor {
	both := linearTensors(name, out, in, s)
	if !bias {
		return both[:1]
	}
	return both
}

// normTensors are the gain and bias of a LayerNorm.
func normTensors(name string, width int) []tensor {
	return []tensor{{name + ".weight", []int{width}, ones}, {name + ".bias", []int{width}, zeros}}
}

// modernNames strips the prefix that task models put before the base model's names, and spells
// LayerNorm's weights as PyTorch does, not as TensorFlow.
func modernNames(name, prefix string) string {
	name = strings.TrimPrefix(name, prefix)
	if head, ok := strings.CutSuffix(name, "LayerNorm.gamma"); ok {
		return head + "LayerNorm.weight"
	}
	if head, ok := strings.CutSuffix(name, "LayerNorm.beta"); ok {
		return head + "LayerNorm.bias"
	}
	return name
}

// hasAnyPrefix reports whether s starts with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
