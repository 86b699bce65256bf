// Package encoder holds the networks that turn texts into vectors: reading and writing
// HuggingFace folders, new random models, pooling, joining query and instruction, and batched
// encoding.
//
// Weights are in a GoMLX store under their HuggingFace tensor names, so that a trainer can update
// them and Save can write them. Losses, optimizers and the choice of a GoMLX backend are
// elsewhere: the caller opens the backend.
package encoder

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/metrics/kernel"
	"infbench/training/tokenizer"
)

// Encoder is a network with its weights and its tokenizer. EncodeQueries and EncodeDocuments are
// safe for concurrent use as long as the weights are not trained at the same time.
type Encoder struct {
	config  Config
	tokens  *Tokens
	params  *parameters
	passes  *passes
	backend compute.Backend

	remarks   []string  // remarks on its card
	precision Precision // precision of evaluation; empty: float32
	pooled    bool      // evaluation leaves vectors as pooled
	whole     bool      // vectors keep the values that the folder's truncate_dim cuts off
}

// Open reads a model from a local HuggingFace folder: config.json, weights (weights.OpenFolder),
// and, if present, a vocabulary (tokenizer.Open) and the files of sentence-transformers. Every
// tensor must be used or known not to be part of the encoder (a language-model head, a pooler).
// Other tensors, and missing ones, are errors that list them.
//
// A cross-encoder's folder (*ForSequenceClassification) is an error: it scores pairs, and
// OpenCrossEncoder reads it. A folder with an encoder for each side, as Save writes separate
// encoders, is read completely.
func Open(dir string, backend compute.Backend) (*Encoder, error) {
	if err := checkOneVector(dir); err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	if query, document, separate, err := readSides(dir); err != nil || separate {
		if err != nil {
			return nil, fmt.Errorf("open model %s: %w", dir, err)
		}
		return openBoth(query, document, func(folder string) (*Encoder, error) { return Open(folder, backend) })
	}
	e, err := openFolder(dir, backend, nil, encoderHead)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	return e, nil
}

// checkOneVector returns an error for folders of models without a single vector for a text.
func checkOneVector(dir string) error {
	switch {
	case IsMultiVector(dir):
		return errors.New("it is a late-interaction model, which has a vector for each token: evaluate and the baselines of an experiment accept it, but it cannot be trained")
	case IsSparse(dir):
		return errors.New("it is a sparse model, which has weights of tokens: evaluate and the baselines of an experiment accept it, but it cannot be trained")
	}
	if where, err := readLayout(dir); err == nil && where.scores {
		return errors.New("it is a cross-encoder, which scores pairs and has no vectors of texts")
	}
	return nil
}

// encoderHead chooses no head, and returns an error for models without vectors.
func encoderHead(c *Config, _ architecture) (head, error) {
	if class := c.class(); isClassifier(class) {
		return nil, fmt.Errorf("%s is a cross-encoder, which scores pairs and has no vectors of texts", class)
	}
	return nil, c.checkBare()
}

// openFolder reads a folder with an adapter (nil: none) and the head that choose selects (nil:
// none).
func openFolder(dir string, backend compute.Backend, a *adapter, choose func(*Config, architecture) (head, error)) (*Encoder, error) {
	return openAs(dir, nil, backend, a, choose)
}

// openAs is openFolder for the model of a card, which may be nil.
func openAs(dir string, card *Card, backend compute.Backend, a *adapter, choose func(*Config, architecture) (head, error)) (*Encoder, error) {
	where, err := readLayout(dir)
	if err != nil {
		return nil, err
	}
	text, err := readText(dir, where)
	if err != nil {
		return nil, err
	}
	remarks := card.over(dir, where, &text)
	if a != nil {
		if err := text.readOwn(a.dir, filepath.Join(dir, where.network)); err != nil {
			return nil, err
		}
	}
	e, err := body{root: filepath.Join(dir, where.network), static: where.static, text: text, adapter: a, choose: choose}.open(backend)
	if err != nil {
		return nil, err
	}
	e.remarks = remarks
	if err := e.params.loadDense(dir, where.dense); err != nil {
		return nil, err
	}
	if e.config.Text.Interaction.projected() {
		if err := e.Crossing().load(dir); err != nil {
			return nil, err
		}
	}
	e.passes.setWidth(e.Dim())
	return e, nil
}

// build returns an encoder without weights.
func build(config Config, tok *tokenizer.Tokenizer) (*Encoder, error) {
	arch, err := architectureOf(config.ModelType)
	if err != nil {
		return nil, err
	}
	if _, isStatic := arch.(static); isStatic && tok != nil && tok.MaxLength() > 0 && config.Text.most > 0 {
		config.Text.most = tok.MaxLength() // the only length in StaticEmbedding
	}
	if err := config.complete(arch); err != nil {
		return nil, err
	}
	if tok != nil {
		if tok, err = tok.Within(config.VocabSize); err != nil {
			return nil, err
		}
	}
	tok, err = config.Text.lowering(tok)
	if err != nil {
		return nil, err
	}
	e := &Encoder{config: config}
	e.tokens = &Tokens{config: &e.config, arch: arch, tokenizer: cutting(tok, config.Text.TruncationSide)}
	e.params = &parameters{config: &e.config, arch: arch, store: model.NewStore()}
	e.passes = newPasses(e)
	return e, nil
}

// New returns a model with new random weights. The weights depend only on config and seed, not on
// the backend.
func New(config Config, tok *tokenizer.Tokenizer, seed int64, backend compute.Backend) (*Encoder, error) {
	if tok != nil && config.VocabSize == 0 {
		config.VocabSize = tok.VocabSize()
	}
	e, err := build(config, tok)
	if err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	e.backend = backend
	if err := e.params.initialize(seed); err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	if err := e.Crossing().setLearned(e.config.Text.Interaction.projected()); err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	return e, nil
}

// Store returns the variables of the model. The path of each is "/" + its HuggingFace tensor name
// in the base model ("/embeddings.word_embeddings.weight"). Each is trainable and has PyTorch's
// shape (linear layers: [out, in]). With separate encoders these are the queries' weights, and
// the documents' are at "/documents/" + the same names.
func (e *Encoder) Store() *model.Store { return e.params.store }

// Variable returns a weight by its HuggingFace tensor name. Prefixes and older spellings
// ("bert.", "LayerNorm.gamma") are understood. It returns nil if the model has no such weight.
func (e *Encoder) Variable(name string) *model.Variable {
	return e.params.store.GetVariable("/" + e.params.arch.canonical(name))
}

// Config returns the configuration.
func (e *Encoder) Config() Config { return e.config }

// Tokens returns the encoder's Tokens, which turns texts into the network's input.
func (e *Encoder) Tokens() *Tokens { return e.tokens }

// Tokenizer returns the tokenizer, or nil if the model's folder has none.
func (e *Encoder) Tokenizer() *tokenizer.Tokenizer { return e.tokens.tokenizer }

// Backend returns the GoMLX backend the model runs on.
func (e *Encoder) Backend() compute.Backend { return e.backend }

// HiddenStates builds the network on ids int32 [B,S] and mask [B,S] (bool, or integers that are
// zero on padding) and returns the last hidden states float32 [B,S,D]; rows of padding are
// undefined. types are segment ids int32 [B,S], or nil for zeros. Graph-building functions panic
// on wrong shapes, as GoMLX's do. The graph must belong to the model's store.
func (e *Encoder) HiddenStates(g *graph.Graph, ids, mask, types *graph.Node) *graph.Node {
	return e.network(Queries, g).states(input{ids: ids, mask: asBool(mask), types: types})
}

// Embed builds the network on ids int32 [B,S] and mask [B,S] (as in HiddenStates) and returns one
// vector per row, float32 [B,Width]: pooled, projected if the model has a Dense module, and
// scaled to length 1 if the configuration sets it. It may be called several times in one graph;
// all calls share the weights, and gradients reach them.
func (e *Encoder) Embed(g *graph.Graph, ids, mask *graph.Node) *graph.Node {
	return e.VectorsOf(Queries, e.HiddenStates(g, ids, mask, nil), mask)
}

// network builds layers over the weights of a side in g, in evaluation mode.
func (e *Encoder) network(s Side, g *graph.Graph) *network {
	m := e.evaluation()
	m.Wide = m.Precision == BFloat16 && !Compiles(g.Backend()) && kernel.HasBFloat16()
	return e.params.network(s, g, m)
}
