package encoder

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// llamaBidirec is NVIDIA's Llama without a causal mask (LlamaBidirectionalModel of
// llama-embed-nemotron and its kin), whose config.json says how states are pooled.
type llamaBidirec struct{ llama }

func newLlamaBidirec() llamaBidirec {
	return llamaBidirec{llama{name: "LlamaBidirectionalModel", biasKeys: biasKeys{attention: true, mlp: true}, bothWays: true}}
}

// bidirecPoolings maps the names of the family's code to ours. Its weighted_avg, a sum,
// is left out.
func bidirecPoolings() map[string]Pooling {
	return map[string]Pooling{"avg": Mean, "cls": CLS, "last": Last}
}

// pooling is what config.json says, which the folder's sentence-transformers files
// win over.
func (llamaBidirec) pooling(c *Config) (Pooling, error) {
	says := struct {
		Pooling string `json:"pooling"`
	}{"avg"} // default of LlamaBidirectionalConfig
	if err := c.decode(&says); err != nil {
		return "", fmt.Errorf("pooling: %w", err)
	}
	p, ok := bidirecPoolings()[says.Pooling]
	if !ok {
		return "", nearest.Unknown("pooling", says.Pooling, slices.Sorted(maps.Keys(bidirecPoolings())))
	}
	return p, nil
}

// classifier is the head of LlamaBidirectionalForSequenceClassification: a layer on
// the pooled states, whose logits are divided by a temperature.
func (b llamaBidirec) classifier(c *Config) (classifier, error) {
	pooling, err := b.pooling(c)
	if err != nil {
		return classifier{}, err
	}
	says := struct {
		Temperature float64 `json:"temperature"`
	}{1}
	if err := c.decode(&says); err != nil {
		return classifier{}, fmt.Errorf("temperature: %w", err)
	}
	if !(says.Temperature > 0) {
		return classifier{}, fmt.Errorf("temperature is %g", says.Temperature)
	}
	take := func(n *network, in input) *graph.Node { return Pool(pooling, b.hidden(n, in), in.mask) }
	return classifier{take: take, out: "score", temperature: says.Temperature, prefixes: []string{"score."}}, nil
}
