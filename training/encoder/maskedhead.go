package encoder

import (
	"fmt"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
)

// maskedHead is the output of a masked language model: a layer with activation and norm,
// then a logit for each token of the vocabulary.
type maskedHead struct {
	names   maskedNames
	decoder string // the table of tokens: the input's, or a separate one
	bias    string
}

// maskedNames holds a family's names for the parts of the head.
type maskedNames struct{ dense, norm, decoder, bias, prefix string }

// masking is an architecture with a known head for masked language modelling.
type masking interface{ masked() maskedNames }

// inputTable is the table of tokens in both families.
const inputTable = "embeddings.word_embeddings"

// maskedHeadOf names the head's weights. The decoder is tied to the input's table unless the
// folder holds a separate one.
func maskedHeadOf(c *Config, _ architecture) (head, error) {
	family, ok := architectures()[c.ModelType].(masking)
	if !ok {
		return nil, fmt.Errorf("a sparse model of model_type %s is not supported (known: %s)", c.ModelType, strings.Join(familiesWith[masking](), ", "))
	}
	names := family.masked()
	h := maskedHead{names: names, decoder: inputTable, bias: names.bias}
	if _, own := c.held[names.decoder+".weight"]; own {
		h.decoder = names.decoder
	}
	if _, ok := c.held[h.bias]; !ok { // older and newer files name it after the decoder
		if _, other := c.held[names.decoder+".bias"]; other {
			h.bias = names.decoder + ".bias"
		}
	}
	return h, nil
}

// OtherReading is a note for a bare masked language model (transformers' *ForMaskedLM without
// modules.json) that is read as an encoder although no file names its kind: it can also be a sparse
// model. It is "" for other models.
func (c *Config) OtherReading() string {
	if !c.Text.unpooled || c.Text.stated || !strings.HasSuffix(c.class(), "ForMaskedLM") {
		return ""
	}
	family, ok := architectures()[c.ModelType].(masking)
	if !ok {
		return ""
	}
	if _, ok := c.held[family.masked().dense+".weight"]; !ok {
		return ""
	}
	return fmt.Sprintf("no file names the kind of this %s: it is read as an encoder, by the %s of the states of its tokens; similarity %s reads it as a sparse model (SPLADE), by weights of terms (set it in %s: \"similarity\": \"cosine\" or %q)", c.class(), c.Text.Pooling, Sparsely, ownFile, Sparsely)
}

func (h maskedHead) tensors(c *Config) []tensor {
	list := append(linearTensors(h.names.dense, c.HiddenSize, c.HiddenSize, matrix), normTensors(h.names.norm, c.HiddenSize)...)
	if h.decoder != inputTable {
		list = append(list, tensor{h.decoder + ".weight", []int{c.VocabSize, c.HiddenSize}, embedding})
	}
	return append(list, tensor{h.bias, []int{c.VocabSize}, zeros})
}

// owns excludes the second name that files may hold the bias under.
func (h maskedHead) owns(name string) bool {
	return hasAnyPrefix(name, h.names.prefix) && name != h.names.decoder+".bias"
}

// logits returns the logits of each token, float32 [B,S,V]. Padding has those of its text's first
// token, so that the maximum over all of them is that of the text.
func (h maskedHead) logits(n *network, in input) *graph.Node {
	x := padded(architectures()[n.config.ModelType].hidden(n, in), in.mask)
	x = n.layerNorm(h.names.norm, n.activate(wide(n.linear(h.names.dense, x))))
	return addBias(n.vocabularyLogits(h.decoder, x, nil), n.weight(h.bias))
}
