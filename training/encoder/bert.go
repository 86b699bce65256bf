package encoder

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// bert is the encoder of Devlin et al. 2018 (transformers' BertModel), with
// absolute positions counted along the padded row: e5, bge, MiniLM, contriever.
type bert struct{}

var bertLayers = postNorm{
	layer: "encoder.layer.%d.",
	q:     "attention.self.query", k: "attention.self.key", v: "attention.self.value",
	o: "attention.output.dense", attentionNorm: "attention.output.LayerNorm",
	up: "intermediate.dense", down: "output.dense", norm: "output.LayerNorm",
}

func (bert) class() string { return "BertModel" }

func (bert) keys() map[string]string { return nil }

func (bert) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-12)
	setDefault(&c.TypeVocabSize, 2)
	c.maxTokens = c.MaxPositionEmbeddings
	return absolutePositions(c)
}

// absolutePositions checks the layers and returns an error for position embeddings that are not a
// plain table.
func absolutePositions(c *Config) error {
	setDefault(&c.HiddenAct, "gelu")
	if err := c.checkLayers(c.HiddenAct); err != nil {
		return err
	}
	if err := c.checkEncoderOnly(); err != nil {
		return err
	}
	if p := c.PositionEmbeddingType; p != "" && p != "absolute" {
		return fmt.Errorf("position_embedding_type %q is not supported (known: absolute)", p)
	}
	if c.maxTokens < 1 || c.TypeVocabSize < 0 {
		return errors.New("max_position_embeddings and type_vocab_size must be at least 1")
	}
	return nil
}

// checkEncoderOnly returns an error for settings that turn a BERT-like encoder into a decoder.
func (c *Config) checkEncoderOnly() error {
	for _, key := range []string{"is_decoder", "add_cross_attention"} {
		if value, ok := c.flat[key]; ok && !isOff(value) {
			return fmt.Errorf("%s %s is not supported", key, value)
		}
	}
	return nil
}

func (bert) canonical(name string) string { return modernNames(name, "bert.") }

func (bert) ignored(name string) bool {
	return name == "embeddings.position_ids" || hasAnyPrefix(name, "pooler.", "cls.", "classifier.", "qa_outputs.")
}

func (bert) tensors(c *Config) []tensor {
	return append(bertEmbeddingTensors(c), bertLayers.tensors(c)...)
}

// bertEmbeddingTensors are the tables of tokens, positions and, if the family has them, segments,
// and the norm over their sum.
func bertEmbeddingTensors(c *Config) []tensor {
	d := c.HiddenSize
	list := []tensor{
		{"embeddings.word_embeddings.weight", []int{c.VocabSize, d}, embedding},
		{"embeddings.position_embeddings.weight", []int{c.MaxPositionEmbeddings, d}, embedding},
	}
	if c.TypeVocabSize > 0 {
		list = append(list, tensor{"embeddings.token_type_embeddings.weight", []int{c.TypeVocabSize, d}, embedding})
	}
	return append(list, normTensors("embeddings.LayerNorm", d)...)
}

func (bert) hidden(n *network, in input) *graph.Node {
	return bertLayers.build(n, n.bertEmbeddings(in, rowPositions(in.ids)), paddingBias(in.mask))
}

// rowPositions counts 0, 1, 2, ... along each row, padding included.
func rowPositions(ids *graph.Node) *graph.Node {
	return graph.Iota(ids.Graph(), shapes.Make(dtypes.Int32, ids.Shape().Dimensions...), 1)
}

// bertEmbeddings sums token, position and segment embeddings and normalises.
func (n *network) bertEmbeddings(in input, positions *graph.Node) *graph.Node {
	x := n.lookup("embeddings.word_embeddings", in.ids)
	x = graph.Add(x, n.lookup("embeddings.position_embeddings", positions))
	if n.config.TypeVocabSize > 0 {
		types := in.types
		if types == nil {
			types = graph.ZerosLike(in.ids)
		}
		x = graph.Add(x, n.lookup("embeddings.token_type_embeddings", types))
	}
	return n.drop(n.layerNorm("embeddings.LayerNorm", x))
}

// countsPadding marks a family whose positions run along the padded row.
func (bert) countsPadding() {}

func (bert) classifier(*Config) (classifier, error) {
	return classifier{
		take: firstState, dense: "pooler.dense", denseBias: true, activation: "tanh", out: "classifier", outBias: true,
		prefixes: []string{"pooler.", "classifier."},
	}, nil
}

func (bert) masked() maskedNames {
	return maskedNames{"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
		"cls.predictions.decoder", "cls.predictions.bias", "cls.predictions."}
}
