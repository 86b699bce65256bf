package encoder

import "github.com/gomlx/gomlx/core/graph"

// mpnet is BERT without segments, with RoBERTa's positions and a bias by relative distance that
// all layers share (Song et al. 2020; transformers' MPNetModel): all-mpnet-base.
type mpnet struct{}

var mpnetLayers = postNorm{
	layer: "encoder.layer.%d.",
	q:     "attention.attn.q", k: "attention.attn.k", v: "attention.attn.v",
	o: "attention.attn.o", attentionNorm: "attention.LayerNorm",
	up: "intermediate.dense", down: "output.dense", norm: "output.LayerNorm",
}

// Constants in the code of the family.
const (
	mpnetPad         = 1
	mpnetMaxDistance = 128
	mpnetBias        = "encoder.relative_attention_bias"
)

func (mpnet) class() string { return "MPNetModel" }

func (mpnet) keys() map[string]string { return nil }

func (mpnet) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-12)
	setDefault(&c.RelativeBuckets, 32)
	c.TypeVocabSize = 0
	c.maxTokens = c.MaxPositionEmbeddings - mpnetPad - 1
	if err := checkBuckets(c.RelativeBuckets, mpnetMaxDistance); err != nil {
		return err
	}
	return absolutePositions(c)
}

func (mpnet) canonical(name string) string { return modernNames(name, "mpnet.") }

func (mpnet) ignored(name string) bool {
	return name == "embeddings.position_ids" || hasAnyPrefix(name, "pooler.", "lm_head.", "classifier.", "qa_outputs.")
}

func (mpnet) tensors(c *Config) []tensor {
	list := append(bertEmbeddingTensors(c), mpnetLayers.tensors(c)...)
	return append(list, tensor{mpnetBias + ".weight", []int{c.RelativeBuckets, c.NumAttentionHeads}, embedding})
}

func (mpnet) hidden(n *network, in input) *graph.Node {
	x := n.bertEmbeddings(in, tokenPositions(in.ids, mpnetPad))
	bias := n.distanceBias(mpnetBias, in.ids.Shape().Dim(1), bothBuckets(n.config.RelativeBuckets, mpnetMaxDistance))
	return mpnetLayers.build(n, x, graph.Add(paddingBias(in.mask), bias))
}

func (mpnet) classifier(*Config) (classifier, error) { return robertaClassifier(), nil }
