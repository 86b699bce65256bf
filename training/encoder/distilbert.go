package encoder

import "github.com/gomlx/gomlx/core/graph"

// distilbert is BERT without segments, under other names (Sanh et al. 2019;
// transformers' DistilBertModel).
type distilbert struct{}

var distilbertLayers = postNorm{
	layer: "transformer.layer.%d.",
	q:     "attention.q_lin", k: "attention.k_lin", v: "attention.v_lin",
	o: "attention.out_lin", attentionNorm: "sa_layer_norm",
	up: "ffn.lin1", down: "ffn.lin2", norm: "output_layer_norm",
	keepsAttention: true,
}

func (distilbert) class() string { return "DistilBertModel" }

func (distilbert) keys() map[string]string {
	return map[string]string{
		"dim": "hidden_size", "n_layers": "num_hidden_layers", "n_heads": "num_attention_heads",
		"hidden_dim": "intermediate_size", "activation": "hidden_act",
	}
}

func (distilbert) prepare(c *Config) error {
	c.NormEps = 1e-12 // fixed in the code of the family
	c.TypeVocabSize = 0
	c.maxTokens = c.MaxPositionEmbeddings
	return absolutePositions(c)
}

func (distilbert) canonical(name string) string { return modernNames(name, "distilbert.") }

func (distilbert) ignored(name string) bool {
	return name == "embeddings.position_ids" ||
		hasAnyPrefix(name, "vocab_transform.", "vocab_layer_norm.", "vocab_projector.", "pre_classifier.", "classifier.", "qa_outputs.")
}

func (distilbert) tensors(c *Config) []tensor {
	return append(bertEmbeddingTensors(c), distilbertLayers.tensors(c)...)
}

func (distilbert) hidden(n *network, in input) *graph.Node {
	return distilbertLayers.build(n, n.bertEmbeddings(in, rowPositions(in.ids)), paddingBias(in.mask))
}

// countsPadding marks a family whose positions run along the padded row.
func (distilbert) countsPadding() {}

func (distilbert) classifier(*Config) (classifier, error) {
	return classifier{
		take: firstState, dense: "pre_classifier", denseBias: true, activation: "relu", out: "classifier", outBias: true,
		prefixes: []string{"pre_classifier.", "classifier."},
	}, nil
}

func (distilbert) masked() maskedNames {
	return maskedNames{"vocab_transform", "vocab_layer_norm", "vocab_projector", "vocab_projector.bias", "vocab_"}
}
