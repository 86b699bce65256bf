package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/tokenizer"
)

// CrossEncoder scores a document against a query by reading both at once. It is a sequence
// classifier, or a language model that answers with one word. Score is safe for concurrent use.
type CrossEncoder struct {
	model  *Encoder
	read   func(query, instruction, document string) (sequence, error)
	logits batched // relevance, or irrelevance and relevance
}

// OpenCrossEncoder reads a model that scores pairs from a local HuggingFace folder: a
// *ForSequenceClassification of any family with one or two labels, or a language model
// (OpenLanguageModel) whose infbench.json holds a judge section. Tensors, including those of the
// head, are checked as strictly as in Open.
func OpenCrossEncoder(dir string, backend compute.Backend) (*CrossEncoder, error) {
	return (*Card)(nil).OpenCrossEncoder(dir, backend)
}

func readCrossEncoder(dir string, card *Card, backend compute.Backend, a *adapter) (*CrossEncoder, error) {
	e, err := openAs(dir, card, backend, a, func(c *Config, _ architecture) (head, error) {
		class := c.class()
		if isClassifier(class) {
			return classifierOf(c)
		}
		if isLanguageModel(class) {
			return languageModelOf(c)
		}
		return nil, fmt.Errorf("class %q does not score pairs (known: *ForSequenceClassification, *ForCausalLM, T5ForConditionalGeneration)", class)
	})
	if err != nil {
		return nil, err
	}
	if _, ok := e.params.head.(tokenHead); ok {
		where, err := readLayout(dir)
		if err == nil {
			e.config.Text.Judge, err = e.judgeOf(dir, where)
		}
		if err != nil {
			return nil, err
		}
		if e.config.Text.Judge == (Judge{}) {
			return nil, fmt.Errorf(`%s is a language model, but %s has no judge section with its prompt: write {"judge": {"prompt": "... {query} ... {document} ...", "yes": "yes", "no": "no"}} into it, with the words as the vocabulary spells them`, e.config.class(), ownFile)
		}
		return newJudge(e, e.config.Text.Judge, where.logits == "") // the library encodes the output of a chat template without special tokens
	}
	h := e.params.head.(classifier)
	if err := h.checkBegin(e.tokens.tokenizer); err != nil {
		return nil, err
	}
	e.remarks = append(e.remarks, e.tokens.segmentNotes()...)
	read := func(query, instruction, document string) (sequence, error) {
		s := e.tokens.pair(e.config.Text.query(query, instruction), document)
		return s, h.checkEnd(s.ids)
	}
	return newCrossEncoder(e, read, h.labels, h.logits), nil
}

// newCrossEncoder scores by the count logits that build makes.
func newCrossEncoder(e *Encoder, read func(query, instruction, document string) (sequence, error), count int, build func(*network, input) *graph.Node) *CrossEncoder {
	return &CrossEncoder{
		model: e,
		read:  read,
		logits: batched{model: e, width: count, longest: e.config.Text.MaxDocument, build: func(in input) *graph.Node {
			return wide(build(e.network(Queries, in.ids.Graph()), in))
		}},
	}
}

// pair returns both texts as one sequence; the longer one is shortened first.
func (t *Tokens) pair(query, document string) sequence {
	ids, types := t.tokenizer.EncodePair(query, document, t.config.Text.MaxDocument)
	if t.config.TypeVocabSize < 2 {
		types = nil
	}
	return sequence{ids: ids, types: types}
}

// segmentNotes notes that the network is not told where the second of two texts begins.
func (t *Tokens) segmentNotes() []string {
	if t.tokenizer == nil || !t.tokenizer.LacksSegments() || t.config.TypeVocabSize < 2 {
		return nil
	}
	return []string{fmt.Sprintf("the tokenizer's class gives the network no segments (token_type_ids) in transformers 5, which is followed; transformers 4 may give them (set it in %s: \"tokenizer\": %q)", ownFile, tokenizer.Transformers4)}
}

// Score sets dst[i] to the relevance of document i to query i under instruction i. All slices
// have the same length, and instructions and titles may be empty. With one label or word the score
// is the logit; with two it is the log probability of the relevant one. Higher is more relevant;
// scores of different queries need not be comparable. A score does not depend on others computed
// in the same call beyond float32 rounding.
func (c *CrossEncoder) Score(ctx context.Context, queries, instructions, titles, texts []string, dst []float32) error {
	n := len(dst)
	for _, list := range [][]string{queries, instructions, titles, texts} {
		if len(list) != n {
			return fmt.Errorf("score: %d queries, %d instructions, %d titles, %d texts, %d scores",
				len(queries), len(instructions), len(titles), len(texts), n)
		}
	}
	if c.model.tokens.tokenizer == nil {
		return fmt.Errorf("score: %w", errNoTokenizer)
	}
	sequences := make([]sequence, n)
	for i := range sequences {
		t := &c.model.config.Text
		s, err := c.read(queries[i], instructions[i], t.document(titles[i], texts[i]))
		if err := errors.Join(ctx.Err(), err); err != nil {
			return fmt.Errorf("score pair %d: %w", i, err)
		}
		sequences[i] = s
	}
	logits := make([]float32, n*c.logits.width)
	if err := c.logits.run(ctx, sequences, logits); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	for i := range dst {
		if c.logits.width == 1 {
			dst[i] = logits[i]
		} else {
			dst[i] = float32(LogProbability(float64(logits[2*i]), float64(logits[2*i+1])))
		}
	}
	return nil
}

// Probability is the probability of relevance for a score of this model: the logistic function of
// one logit, or the share of the relevant one of two logits.
func (c *CrossEncoder) Probability(score float64) float64 {
	if c.logits.width == 1 {
		return 1 / (1 + math.Exp(-score))
	}
	return math.Exp(score)
}

// Logits builds the model on ids int32 [B,S], mask [B,S] and segments types int32 [B,S] (nil:
// zeros), in the form of Encoder.HiddenStates, and returns float32 [B,1], the relevance, or
// [B,2], irrelevance and relevance.
func (c *CrossEncoder) Logits(ids, mask, types *graph.Node) *graph.Node {
	return c.logits.build(input{ids: ids, mask: asBool(mask), types: types})
}

// Model returns the network with its weights, tokenizer and configuration.
func (c *CrossEncoder) Model() *Encoder { return c.model }

// LogProbability is the logarithm of the second value of the softmax of two logits, -log(1 +
// exp(no-yes)), without overflow.
func LogProbability(no, yes float64) float64 {
	d := no - yes
	return -max(d, 0) - math.Log1p(math.Exp(-math.Abs(d)))
}
