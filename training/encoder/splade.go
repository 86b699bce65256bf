package encoder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// spladePooling is the config.json of SpladePooling: how the logits of a text's tokens become its
// weights.
type spladePooling struct {
	Strategy   string `json:"pooling_strategy"`
	Activation string `json:"activation_function"`
	Dimension  *int   `json:"word_embedding_dimension"`
}

// The poolings and activations. log1p_relu is log(1 + log(1 + relu)), and relu has one logarithm
// less.
const (
	spladeMax, spladeSum  = "max", "sum"
	spladeOnce, spladeTwo = "relu", "log1p_relu"
)

func readSpladePooling(dir string) (spladePooling, error) {
	p := spladePooling{Strategy: spladeMax, Activation: spladeOnce}
	found, err := readJSON(dir, "config.json", &p)
	if err == nil && !found {
		err = noModuleConfig(dir, "the list of modules")
	}
	if err != nil {
		return p, err
	}
	if err := errors.Join(
		nearest.OneOf("pooling_strategy", p.Strategy, spladeMax, spladeSum),
		nearest.OneOf("activation_function", p.Activation, spladeOnce, spladeTwo)); err != nil {
		return p, fmt.Errorf("%s: %w", filepath.Join(dir, "config.json"), err)
	}
	return p, nil
}

// splade is a masked language model whose logits are pooled.
type splade struct {
	model   *Encoder
	pooling spladePooling
	weights batched
}

func newSplade(e *Encoder, p spladePooling) (*splade, error) {
	if e.tokens.tokenizer == nil {
		return nil, errNoTokenizer
	}
	if p.Dimension != nil && *p.Dimension != e.config.VocabSize {
		return nil, fmt.Errorf("word_embedding_dimension is %d, but the vocabulary has %d tokens", *p.Dimension, e.config.VocabSize)
	}
	s := &splade{model: e, pooling: p}
	s.weights = batched{model: e, longest: max(e.config.Text.MaxQuery, e.config.Text.MaxDocument), head: e.config.VocabSize, build: s.build}
	return s, nil
}

// build computes the weights of texts, float32 [B,V].
func (s *splade) build(in input) *graph.Node {
	return s.pooling.pool(s.model.params.head.logits(s.model.network(Queries, in.ids.Graph()), in), in.mask)
}

// pool makes weights [B,V] from the logits [B,S,V] of tokens and padding.
func (p spladePooling) pool(logits, mask *graph.Node) *graph.Node {
	if p.Strategy == spladeMax { // the activation is monotonic
		top := graph.ReduceMax(logits, 1)
		some := graph.BroadcastToShape(graph.InsertAxes(graph.LogicalAny(asBool(mask), 1), -1), top.Shape())
		return p.activate(graph.Where(some, top, graph.ZerosLike(top)))
	}
	attended := graph.ConvertDType(asBool(mask), dtypes.Float32)
	return graph.DotGeneral(attended, []int{1}, []int{0}, p.activate(logits), []int{1}, []int{0})
}

func (p spladePooling) activate(logits *graph.Node) *graph.Node {
	weights := graph.Log1P(relu(logits))
	if p.Activation == spladeTwo {
		weights = graph.Log1P(weights)
	}
	return weights
}

// encode implements sparseSide.
func (s *splade) encode(ctx context.Context, texts []string) (terms []int32, weights []float32, counts []int, err error) {
	sequences := make([]sequence, len(texts))
	for i, text := range texts {
		sequences[i] = sequence{ids: s.model.tokens.of(text, s.model.config.Text.MaxDocument)}
	}
	foundTerms, foundWeights := make([][]int32, len(texts)), make([][]float32, len(texts))
	err = s.weights.each(ctx, sequences, func(i int, row []float32) {
		for term, w := range row {
			if w != 0 {
				foundTerms[i], foundWeights[i] = append(foundTerms[i], int32(term)), append(foundWeights[i], w)
			}
		}
	})
	if err != nil {
		return nil, nil, nil, err
	}
	counts = make([]int, len(texts))
	for i := range texts {
		counts[i] = len(foundTerms[i])
		terms, weights = append(terms, foundTerms[i]...), append(weights, foundWeights[i]...)
	}
	return terms, weights, counts, nil
}

func (s *splade) terms() int { return s.model.config.VocabSize }

func (s *splade) reading() string {
	return fmt.Sprintf("%s of %s of logits", s.pooling.Strategy, s.pooling.Activation)
}

func (s *splade) networkOf() *Encoder { return s.model }

func (s *splade) setBatching(b Batching) { s.weights.batching = b }

func (s *splade) setPrecision(p Precision) error {
	s.weights.reset()
	return s.model.SetPrecision(p)
}
