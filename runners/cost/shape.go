package cost

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/runners/catalog"
	"infbench/runners/spec"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// shape has the properties of a network on which its cost depends.
type shape struct {
	Parameters int64 // all parameters
	working    int64 // parameters that every token is multiplied with: all except embeddings
	Layers     int   // 0: unknown
	Width      int
	heads      int  // attention heads; 0: unknown
	dim        int  // of its vectors; 0: unknown, or it has none
	late       bool // a vector for each token
	head       int  // values that the head computes for each token, such as logits; 0: none
	tokens     int  // maximum length of a text in tokens; 0: unknown

	name      string               // of the network, if tokenizer is set
	tokenizer *tokenizer.Tokenizer // nil: unknown
}

// network is the network that a cell runs here, "" if none: its backbone, or the model of a
// baseline unless that is a run file.
func network(c *spec.Cell) string {
	if c.Backbone != "" {
		return c.Backbone
	}
	for _, name := range c.Weights() {
		if info, err := disk.Stat(name); err != nil || info.IsDir() {
			return name
		}
	}
	return ""
}

// backboneShape finds the shape of a backbone without reading weights: from its folder, from a
// network that infbench makes, or, if the model has not been fetched, from its size on the
// card.
func backboneShape(name string) (shape, error) {
	if c, ok := encoder.Tiny()[name]; ok {
		return tinyShape(c)
	}
	if folder, err := catalog.NetworkFolder(name); err == nil {
		found, err := encoder.Inspect(folder)
		if err != nil {
			return shape{}, fmt.Errorf("backbone %s: %w", name, err)
		}
		embeddings := int64(found.Vocabulary) * int64(found.Width)
		head := 0
		if found.Kind == encoder.KindSparse && found.Layers > 0 {
			head = found.Vocabulary
		}
		return shape{
			Parameters: found.Parameters, dim: found.Dim, late: found.Kind == encoder.KindLate, head: head, working: max(found.Parameters-embeddings, 0),
			Layers: found.Layers, Width: found.Width, heads: found.Heads, tokens: max(found.MaxDocument, found.MaxQuery),
			name: name, tokenizer: found.Tokens,
		}, nil
	}
	repo, _ := catalog.HubModel(name)
	card, err := encoder.CardOf(repo.ID)
	if err != nil {
		return shape{}, err
	}
	parameters, err := parseSize(card.Size)
	return shape{Parameters: parameters, working: parameters, tokens: card.MaxTokens}, err
}

// tinyShape is the shape of a network that is made here.
func tinyShape(c encoder.Config) (shape, error) {
	c.VocabSize = catalog.TinyVocabulary
	weights, err := encoder.CountWeights(c)
	return shape{
		Parameters: int64(weights), working: int64(weights - c.VocabSize*c.HiddenSize),
		Layers: c.NumHiddenLayers, Width: c.HiddenSize, heads: c.NumAttentionHeads, tokens: max(c.Text.MaxDocument, c.Text.MaxQuery),
	}, err
}

// parseSize parses "149M" or "1.5B".
func parseSize(text string) (int64, error) {
	for suffix, unit := range map[string]float64{"M": 1e6, "B": 1e9} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			if n, err := strconv.ParseFloat(number, 64); err == nil && n > 0 {
				return int64(math.Round(n * unit)), nil
			}
		}
	}
	return 0, fmt.Errorf("size %q: want a number of parameters such as 149M or 1.5B", text)
}
