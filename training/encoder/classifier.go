package encoder

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/metrics/nearest"
)

// classifier is the head of transformers' *ForSequenceClassification models of
// BERT and RoBERTa: a dense layer with tanh on the state of row 0, then a linear
// layer to the labels. Families differ in the names alone.
type classifier struct {
	dense, out string   // names of the two layers
	prefixes   []string // of all tensors of the head
	labels     int
}

// isClassifier says whether a transformers class is a sequence classifier.
func isClassifier(class string) bool { return strings.HasSuffix(class, "ForSequenceClassification") }

// classifierOf returns the head for a configuration. transformers writes
// id2label unless there are two labels, its default.
func classifierOf(c *Config) (classifier, error) {
	roberta := classifier{dense: "classifier.dense", out: "classifier.out_proj", prefixes: []string{"classifier."}}
	known := map[string]classifier{
		"bert":        {dense: "pooler.dense", out: "classifier", prefixes: []string{"pooler.", "classifier."}},
		"roberta":     roberta,
		"xlm-roberta": roberta,
	}
	head, ok := known[c.ModelType]
	if !ok {
		return classifier{}, nearest.Unknown("family of sequence classifiers", c.ModelType, slices.Sorted(maps.Keys(known)))
	}
	head.labels = 2
	if c.Labels != nil {
		head.labels = len(c.Labels)
	}
	if head.labels != 1 && head.labels != 2 {
		return classifier{}, fmt.Errorf("a classifier with %d labels does not say which of them is relevance (known: 1 or 2 labels)", head.labels)
	}
	return head, nil
}

func (h classifier) tensors(c *Config) []tensor {
	list := linearTensors(h.dense, c.HiddenSize, c.HiddenSize, matrix)
	return append(list, linearTensors(h.out, h.labels, c.HiddenSize, matrix)...)
}

func (h classifier) owns(name string) bool { return hasAnyPrefix(name, h.prefixes...) }

func (h classifier) logits(n *network, in input) *graph.Node {
	states := architectures()[n.config.ModelType].hidden(n, in)
	first := graph.Squeeze(graph.SliceAxis(states, 1, graph.AxisElem(0)), 1) // [B,D]
	return n.linear(h.out, graph.Tanh(n.linear(h.dense, first)))
}
