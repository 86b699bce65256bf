package encoder

import (
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// architecture is one family of networks. Each is in the file of its name. Optional methods add
// abilities: see classified, masking and countsPadding.
type architecture interface {
	// keys maps the family's config.json keys to Config's, if they differ.
	keys() map[string]string
	// prepare fills settings that the file leaves to the family's defaults, and returns an error
	// for settings that are not implemented here.
	prepare(c *Config) error
	// tensors lists the weights of the network in the order they are written.
	tensors(c *Config) []tensor
	// canonical turns a tensor name of a checkpoint into the base model's.
	canonical(name string) string
	// ignored reports whether a tensor, by canonical name, is known but not part of the encoder:
	// heads, poolers, position counters.
	ignored(name string) bool
	// hidden builds the network: last hidden states [B,S,D].
	hidden(n *network, in input) *graph.Node
	// class is the transformers class that reads the weights as written.
	class() string
}

// tensor is one weight: its base-model name, shape and initial values.
type tensor struct {
	name  string
	shape []int
	start start
}

// start is the kind of initial values of a weight in a new model.
type start int

const (
	zeros     start = iota // biases
	ones                   // gains of normalisation layers
	embedding              // rows of a table
	stream                 // rows of a table that become the residual stream without a norm before it
	matrix                 // a linear layer
	output                 // a linear layer whose result is added to the residual stream
)

// input is the input of a network.
type input struct {
	ids   *graph.Node // int32 [B,S]
	mask  *graph.Node // bool [B,S], false on padding
	types *graph.Node // int32 [B,S]; nil: all zero
}

// architectures lists the families by model_type of config.json.
func architectures() map[string]architecture {
	return map[string]architecture{
		"bert":          bert{},
		"distilbert":    distilbert{},
		"gemma3_text":   gemma3{},
		"llama":         llama{name: "LlamaModel", biasKeys: biasKeys{attention: true, mlp: true}},
		"llama_bidirec": newLlamaBidirec(),
		"mistral":       llama{name: "MistralModel", kvHeads: 8, windowed: everywhere},
		"modernbert":    modernbert{},
		"mpnet":         mpnet{},
		"nvembed":       nvembed{},
		"qwen2":         llama{name: "Qwen2Model", qkvBias: true, kvHeads: 32, windowed: whereAsked},
		"qwen3":         qwen3(),
		"roberta":       roberta{name: "RobertaModel"},
		staticType:      static{},
		"t5":            t5{},
		"xlm-roberta":   roberta{name: "XLMRobertaModel"},
	}
}

// familiesWith lists the families that have the methods of T, sorted.
func familiesWith[T any]() (names []string) {
	for name, family := range architectures() {
		if _, ok := family.(T); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// HasNetwork reports whether there is a network for a model_type of config.json.
func HasNetwork(modelType string) bool {
	_, ok := architectures()[modelType]
	return ok
}

// architectureOf returns the family of a model_type.
func architectureOf(modelType string) (architecture, error) {
	all := architectures()
	arch, ok := all[modelType]
	if !ok {
		return nil, nearest.Unknown("model_type", modelType, slices.Sorted(maps.Keys(all)))
	}
	return arch, nil
}
