package encoder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// llamaBidirec is NVIDIA's Llama without a causal mask (LlamaBidirectionalModel of
// llama-embed-nemotron and its kin), whose config.json sets the pooling.
type llamaBidirec struct{ llama }

func newLlamaBidirec() llamaBidirec {
	return llamaBidirec{llama{name: "LlamaBidirectionalModel", biasKeys: biasKeys{attention: true, mlp: true}, bothWays: true}}
}

// bidirecPoolings maps the names in the family's code to ours. Its weighted_avg, a sum, is not
// supported.
func bidirecPoolings() map[string]Pooling {
	return map[string]Pooling{"avg": Mean, "cls": CLS, "last": Last}
}

// pooling is the pooling in config.json, unless the folder's sentence-transformers files set
// another.
func (llamaBidirec) pooling(c *Config) (Pooling, error) {
	settings := struct {
		Pooling string `json:"pooling"`
	}{"avg"} // default of LlamaBidirectionalConfig
	if err := c.decode(&settings); err != nil {
		return "", fmt.Errorf("pooling: %w", err)
	}
	p, ok := bidirecPoolings()[settings.Pooling]
	if !ok {
		return "", nearest.Unknown("pooling", settings.Pooling, slices.Sorted(maps.Keys(bidirecPoolings())))
	}
	return p, nil
}

// classifier is the head of LlamaBidirectionalForSequenceClassification: a layer on the pooled
// states, with logits divided by a temperature.
func (b llamaBidirec) classifier(c *Config) (classifier, error) {
	pooling, err := b.pooling(c)
	if err != nil {
		return classifier{}, err
	}
	settings := struct {
		Temperature float64 `json:"temperature"`
	}{1}
	if err := c.decode(&settings); err != nil {
		return classifier{}, fmt.Errorf("temperature: %w", err)
	}
	if !(settings.Temperature > 0) {
		return classifier{}, fmt.Errorf("temperature is %g", settings.Temperature)
	}
	take := func(n *network, in input) *graph.Node { return Pool(pooling, b.hidden(n, in), in.mask) }
	return classifier{take: take, out: "score", temperature: settings.Temperature, prefixes: []string{"score."}}, nil
}
