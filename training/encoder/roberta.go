package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// roberta is BERT's network with positions that count the tokens which are not
// the padding id, from padding id + 1 (Liu et al. 2019; transformers'
// RobertaModel and XLMRobertaModel): bge-m3, multilingual-e5.
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
// pad itself has position pad. The sums are of zeros and ones, exact in
// float32.
func tokenPositions(ids *graph.Node, pad int32) *graph.Node {
	g, length := ids.Graph(), ids.Shape().Dim(1)
	padding := graph.Scalar(g, dtypes.Int32, pad)
	tokens := graph.ConvertDType(graph.NotEqual(ids, padding), dtypes.Float32)
	upTo := graph.ConvertDType(graph.UpperTriangular(g, length), dtypes.Float32) // [j,i]: j <= i
	count := graph.Mul(graph.DotGeneral(tokens, []int{1}, nil, upTo, []int{0}, nil), tokens)
	return graph.Add(graph.ConvertDType(count, dtypes.Int32), padding)
}
