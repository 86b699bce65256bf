package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// roberta is BERT's network with positions that count the tokens other than the padding id, from
// padding id + 1 (Liu et al. 2019; transformers' RobertaModel and XLMRobertaModel): bge-m3,
// multilingual-e5.
type roberta struct{ name string }

func (r roberta) class() string { return r.name }

func (roberta) keys() map[string]string { return nil }

func (roberta) prepare(c *Config) error {
	setDefault(&c.NormEps, 1e-12)
	setDefault(&c.TypeVocabSize, 2)
	if _, ok := c.file["pad_token_id"]; !ok && c.file != nil {
		c.PadTokenID = 1
	}
	c.maxTokens = c.MaxPositionEmbeddings - int(c.PadTokenID) - 1
	return absolutePositions(c)
}

func (roberta) canonical(name string) string { return modernNames(name, "roberta.") }

func (roberta) ignored(name string) bool {
	return name == "embeddings.position_ids" || hasAnyPrefix(name, "pooler.", "lm_head.", "classifier.", "qa_outputs.")
}

func (roberta) tensors(c *Config) []tensor { return bert{}.tensors(c) }

func (roberta) hidden(n *network, in input) *graph.Node {
	x := n.bertEmbeddings(in, tokenPositions(in.ids, n.config.PadTokenID))
	return bertLayers.build(n, x, paddingBias(in.mask))
}

// tokenPositions numbers the tokens of each row that are not pad from pad+1;
// pad itself has position pad.
func tokenPositions(ids *graph.Node, pad int32) *graph.Node {
	padding := graph.Scalar(ids.Graph(), dtypes.Int32, pad)
	return graph.Add(tokenCount(graph.NotEqual(ids, padding)), padding)
}

// tokenCount numbers the tokens of mask, bool [B,S], from 1 in each row, int32; padding has 0.
// The sums are over zeros and ones, exact in float32.
func tokenCount(mask *graph.Node) *graph.Node {
	tokens := graph.ConvertDType(mask, dtypes.Float32)
	upTo := graph.ConvertDType(graph.UpperTriangular(mask.Graph(), mask.Shape().Dim(1)), dtypes.Float32) // [j,i]: j <= i
	count := graph.Mul(graph.DotGeneral(tokens, []int{1}, nil, upTo, []int{0}, nil), tokens)
	return graph.ConvertDType(count, dtypes.Int32)
}

func (roberta) classifier(*Config) (classifier, error) { return robertaClassifier(), nil }
