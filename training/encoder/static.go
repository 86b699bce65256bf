package encoder

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/weights"
)

// static is a table of word vectors without a network: a text is the mean of its tokens without
// special ones (sentence-transformers' StaticEmbedding): GloVe, model2vec.
type static struct{}

// staticType is the model_type of such a model, for which no config.json is read.
const (
	staticType   = "static"
	staticFolder = "0_StaticEmbedding"
	staticTable  = "embedding"

	model2vecTable = "embeddings" // model2vec's name of the table
)

// staticConfig takes the sizes from the table.
func staticConfig(weights *weights.Folder) (Config, error) {
	const name = staticTable + ".weight"
	info, ok := weights.Info(name)
	if !ok {
		info, ok = weights.Info(model2vecTable)
	}
	if !ok {
		return Config{}, fmt.Errorf("%s: missing tensors: %s", weights.File(name), name)
	}
	if len(info.Shape) != 2 {
		return Config{}, fmt.Errorf("%s: tensor %q has shape %v, but a table has two axes", weights.File(name), name, info.Shape)
	}
	return Config{ModelType: staticType, VocabSize: info.Shape[0], HiddenSize: info.Shape[1]}, nil
}

func (static) class() string { return "StaticEmbedding" }

func (static) keys() map[string]string { return nil }

func (static) prepare(c *Config) error {
	if c.Text.Pooling != Mean {
		return fmt.Errorf("StaticEmbedding with %s pooling is not supported", c.Text.Pooling)
	}
	return nil
}

func (static) canonical(name string) string {
	if name == model2vecTable {
		return staticTable + ".weight"
	}
	return name
}

func (static) ignored(string) bool { return false }

func (static) tensors(c *Config) []tensor {
	return []tensor{{staticTable + ".weight", []int{c.VocabSize, c.HiddenSize}, embedding}}
}

func (static) hidden(n *network, in input) *graph.Node { return n.lookup(staticTable, in.ids) }
