package encoder

import (
	"context"
	"fmt"
	"slices"

	"infbench/training/tokenizer"
	"infbench/training/weights"
)

// termTable takes the weights of a text's tokens from a table, without a network
// (sentence-transformers' SparseStaticEmbedding): each distinct token once, without special ones.
type termTable struct {
	tokenizer *tokenizer.Tokenizer
	weights   []float32 // by token
	special   int       // number of special tokens that the tokenizer would add to a text
}

const termWeights = "weight"

// openTermTable reads the table of a folder.
func openTermTable(dir string) (*termTable, error) {
	tok, err := tokenizer.OpenAs(dir, tokenizer.AsFile)
	if err != nil {
		return nil, err
	}
	weights, err := weights.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer weights.Close()
	if err := checkTermTable(weights, tok); err != nil {
		return nil, err
	}
	values, err := weights.Float32(termWeights)
	if err != nil {
		return nil, err
	}
	return &termTable{tokenizer: tok, weights: values, special: len(tok.Encode("", 0))}, nil
}

// checkTermTable requires one weight for each token and no other tensor.
func checkTermTable(weights *weights.Folder, tok *tokenizer.Tokenizer) error {
	if names := weights.Names(); !slices.Equal(names, []string{termWeights}) {
		return fmt.Errorf("%s: holds %s, a table of weights is one tensor %q", weights.File(""), list(names), termWeights)
	}
	info, _ := weights.Info(termWeights)
	if len(info.Shape) != 1 || tok.VocabSize() > info.Len() {
		return fmt.Errorf("%s: tensor %q has shape %v, but the tokenizer has %d tokens", weights.File(termWeights), termWeights, info.Shape, tok.VocabSize())
	}
	return nil
}

// encode implements sparseSide.
func (t *termTable) encode(ctx context.Context, texts []string) (terms []int32, weights []float32, counts []int, err error) {
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		limit := 0
		if most := t.tokenizer.MaxLength(); most > 0 {
			limit = max(1, most-t.special)
		}
		ids := t.tokenizer.EncodeBare(text, limit)
		slices.Sort(ids)
		before := len(terms)
		for _, id := range slices.Compact(ids) {
			if w := t.weights[id]; w != 0 {
				terms, weights = append(terms, id), append(weights, w)
			}
		}
		counts = append(counts, len(terms)-before)
	}
	return terms, weights, counts, nil
}

func (t *termTable) terms() int { return len(t.weights) }

func (t *termTable) reading() string { return "a table of weights" }

func (*termTable) networkOf() *Encoder { return nil }

func (*termTable) setBatching(Batching) {}

func (*termTable) setPrecision(Precision) error { return nil }
