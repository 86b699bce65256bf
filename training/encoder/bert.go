package encoder

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// bert is the post-norm encoder with absolute positions of Devlin et al. 2018
// (transformers' BertModel): e5, bge, MiniLM, contriever.
type bert struct{}

func (bert) class() string { return "BertModel" }

func (bert) keys() map[string]string { return nil }

func (bert) check(c *Config) error {
	if p := c.PositionEmbeddingType; p != "" && p != "absolute" {
		return fmt.Errorf("position_embedding_type %q is not supported (known: absolute)", p)
	}
	if c.MaxPositionEmbeddings < 1 || c.TypeVocabSize < 1 {
		return errors.New("max_position_embeddings and type_vocab_size must be at least 1")
	}
	return nil
}

func (bert) canonical(name string) string {
	name = strings.TrimPrefix(name, "bert.")
	if head, ok := strings.CutSuffix(name, "LayerNorm.gamma"); ok {
		return head + "LayerNorm.weight"
	}
	if head, ok := strings.CutSuffix(name, "LayerNorm.beta"); ok {
		return head + "LayerNorm.bias"
	}
	return name
}

func (bert) ignored(name string) bool {
	return name == "embeddings.position_ids" || hasAnyPrefix(name, "pooler.", "cls.", "classifier.", "qa_outputs.", "dropout.")
}

func (bert) tensors(c *Config) []tensor {
	d, f := c.HiddenSize, c.IntermediateSize
	list := []tensor{
		{"embeddings.word_embeddings.weight", []int{c.VocabSize, d}, embedding},
		{"embeddings.position_embeddings.weight", []int{c.MaxPositionEmbeddings, d}, embedding},
		{"embeddings.token_type_embeddings.weight", []int{c.TypeVocabSize, d}, embedding},
	}
	list = append(list, normTensors("embeddings.LayerNorm", d)...)
	for i := range c.NumHiddenLayers {
		layer := fmt.Sprintf("encoder.layer.%d.", i)
		for _, part := range []string{"query", "key", "value"} {
			list = append(list, linearTensors(layer+"attention.self."+part, d, d, matrix)...)
		}
		list = append(list, linearTensors(layer+"attention.output.dense", d, d, output)...)
		list = append(list, normTensors(layer+"attention.output.LayerNorm", d)...)
		list = append(list, linearTensors(layer+"intermediate.dense", f, d, matrix)...)
		list = append(list, linearTensors(layer+"output.dense", d, f, output)...)
		list = append(list, normTensors(layer+"output.LayerNorm", d)...)
	}
	return list
}

func (bert) hidden(n *network, in input) *graph.Node {
	positions := graph.Iota(n.g, shapes.Make(dtypes.Int32, in.ids.Shape().Dimensions...), 1)
	return n.bertLayers(n.bertEmbeddings(in, positions), paddingBias(in.mask))
}

// bertEmbeddings sums token, position and segment embeddings and normalises.
func (n *network) bertEmbeddings(in input, positions *graph.Node) *graph.Node {
	x := n.lookup("embeddings.word_embeddings", in.ids)
	x = graph.Add(x, n.lookup("embeddings.position_embeddings", positions))
	types := in.types
	if types == nil {
		types = graph.ZerosLike(in.ids)
	}
	x = graph.Add(x, n.lookup("embeddings.token_type_embeddings", types))
	return n.layerNorm("embeddings.LayerNorm", x)
}

// bertLayers applies the post-norm layers: norm(x + attention(x)), then
// norm(x + feed-forward(x)).
func (n *network) bertLayers(x, bias *graph.Node) *graph.Node {
	count := n.config.NumAttentionHeads
	scale := 1 / math.Sqrt(float64(n.config.HiddenSize/count))
	for i := range n.config.NumHiddenLayers {
		layer := fmt.Sprintf("encoder.layer.%d.", i)
		q := heads(n.linear(layer+"attention.self.query", x), count)
		k := heads(n.linear(layer+"attention.self.key", x), count)
		v := heads(n.linear(layer+"attention.self.value", x), count)
		mixed := n.linear(layer+"attention.output.dense", attend(q, k, v, bias, scale))
		x = n.layerNorm(layer+"attention.output.LayerNorm", graph.Add(x, mixed))
		inner := n.activate(n.linear(layer+"intermediate.dense", x))
		x = n.layerNorm(layer+"output.LayerNorm", graph.Add(x, n.linear(layer+"output.dense", inner)))
	}
	return x
}

// linearTensors are the weight [out,in] and bias [out] of a linear layer.
func linearTensors(name string, out, in int, s start) []tensor {
	return []tensor{{name + ".weight", []int{out, in}, s}, {name + ".bias", []int{out}, zeros}}
}

// normTensors are the gain and bias of a LayerNorm.
func normTensors(name string, width int) []tensor {
	return []tensor{{name + ".weight", []int{width}, ones}, {name + ".bias", []int{width}, zeros}}
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
