package encoder

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/weights"
)

// tokenHead is a head that predicts tokens.
type tokenHead interface {
	head
	// next returns the logits of the token that follows the input: float32 [B,K] for K words by
	// id, or [B,V] for the entire vocabulary if words is nil.
	next(n *network, in input, words []int32) *graph.Node
}

// isLanguageModel reports whether a transformers class predicts tokens.
func isLanguageModel(class string) bool {
	return strings.HasSuffix(class, "ForCausalLM") || class == "T5ForConditionalGeneration"
}

// errBothWays is the error for a model that is not a language model.
var errBothWays = errors.New("is_causal false, use_bidirectional_attention or attention bidirectional: a model that attends both ways predicts no next token")

// languageModelOf returns the head for a configuration.
func languageModelOf(c *Config) (tokenHead, error) {
	if class := c.class(); !isLanguageModel(class) {
		return nil, fmt.Errorf("class %q is not a language model (known: *ForCausalLM, T5ForConditionalGeneration)", class)
	}
	switch arch := architectures()[c.ModelType].(type) {
	case llama:
		if !arch.isCausal(c) {
			return nil, errBothWays
		}
		return causalOf(arch, c), nil
	case gemma3:
		if !arch.isCausal(c) {
			return nil, errBothWays
		}
		return arch.output(c), nil
	case t5:
		return decoderOf(c)
	}
	return nil, fmt.Errorf("language models of model_type %s are not supported (known: gemma3_text, llama, mistral, qwen2, qwen3, t5)", c.ModelType)
}

// outputTable is the output table of language models that do not share the input table.
const outputTable = "lm_head"

// hasOutput reports whether weights hold an output table.
func hasOutput(weights *weights.Folder) bool {
	_, ok := weights.Info(outputTable + ".weight")
	return ok
}

// LanguageModel predicts tokens: a causal decoder (gemma3_text, llama, mistral, qwen2, qwen3) or
// T5 with its decoder.
type LanguageModel struct {
	model *Encoder
	head  tokenHead
}

// OpenLanguageModel reads a *ForCausalLM or T5ForConditionalGeneration folder, with a separate
// output table or one tied to the input's. Tensors, including those of the head, are checked as
// strictly as in Open.
func OpenLanguageModel(dir string, backend compute.Backend) (*LanguageModel, error) {
	e, err := openFolder(dir, backend, nil, func(c *Config, _ architecture) (head, error) { return languageModelOf(c) })
	if err != nil {
		return nil, fmt.Errorf("open language model %s: %w", dir, err)
	}
	return &LanguageModel{e, e.params.head.(tokenHead)}, nil
}

// NextLogits builds the model on ids int32 [B,S] and mask [B,S] and returns the logits float32
// [B,V] of the next token: after the last token that is not padding, or, for T5, as the decoder's
// first word.
func (m *LanguageModel) NextLogits(ids, mask *graph.Node) *graph.Node {
	return m.head.next(m.model.network(Queries, ids.Graph()), input{ids: ids, mask: asBool(mask)}, nil)
}

// DecoderLogits returns T5's logits float32 [B,T,V] after each of the decoder's tokens int32
// [B,T], which begin with the start token. It panics for models without a decoder.
func (m *LanguageModel) DecoderLogits(ids, mask, decoder *graph.Node) *graph.Node {
	n := m.model.network(Queries, ids.Graph())
	return m.head.(t5Decoder).all(n, input{ids: ids, mask: asBool(mask)}, decoder, nil)
}

// Model returns the network with its weights, tokenizer and configuration.
func (m *LanguageModel) Model() *Encoder { return m.model }

// vocabularyLogits multiplies states [...,D] by the rows of a table [V,D] that words names (nil:
// all).
func (n *network) vocabularyLogits(table string, states *graph.Node, words []int32) *graph.Node {
	rows := n.weight(table + ".weight")
	if words != nil {
		rows = n.lookup(table, graph.ConstTensor(n.g, tensors.FromFlatDataAndDimensions(words, len(words))))
	}
	if n.mode.Wide {
		return n.product(states, rows)
	}
	return wide(graph.DotGeneral(n.narrow(states), []int{-1}, nil, n.narrow(rows), []int{1}, nil))
}

// causal is the output layer of a decoder-only language model.
type causal struct {
	arch  architecture
	table string  // lm_head, or embed_tokens if the two are tied
	bound float64 // smooth limit of the logits' size; 0: none
}

// causalOf reads whether the tables are tied. In this family they are not tied unless config.json
// sets it.
func causalOf(arch llama, c *Config) causal {
	if c.Tied != nil && *c.Tied {
		return causal{arch, "embed_tokens", 0}
	}
	return causal{arch, outputTable, 0}
}

func (h causal) tensors(c *Config) []tensor {
	if h.table != outputTable {
		return nil
	}
	return []tensor{{outputTable + ".weight", []int{c.VocabSize, c.HiddenSize}, embedding}}
}

func (h causal) owns(name string) bool {
	return h.table == outputTable && strings.HasPrefix(name, outputTable+".")
}

func (h causal) logits(n *network, in input) *graph.Node { return h.next(n, in, nil) }

func (h causal) next(n *network, in input, words []int32) *graph.Node {
	logits := n.vocabularyLogits(h.table, Pool(Last, h.arch.hidden(n, in), in.mask), words)
	if h.bound == 0 {
		return logits
	}
	return graph.MulScalar(graph.Tanh(graph.MulScalar(logits, 1/h.bound)), h.bound)
}
