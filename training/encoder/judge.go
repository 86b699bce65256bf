package encoder

import (
	"cmp"
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/tokenizer"
)

// Judge defines how a language model is asked whether a document is relevant, and the first words
// of its answers: MonoT5's true and false (Nogueira et al. 2020), FLAN-T5's and decoders' yes and
// no. With one word the score is its logit: RankT5's (Zhuang et al. 2022), ctxl-rerank's.
type Judge struct {
	// Prompt holds {query} and {document} once each, and at most one {instruction}. Without the
	// last the query's template joins query and instruction.
	Prompt string `json:"prompt" yaml:"prompt"`
	// Instruction is that of queries without one, for prompts with {instruction}.
	Instruction string `json:"instruction,omitempty" yaml:"instruction"`

	Yes     string `json:"yes" yaml:"yes"` // a token as the vocabulary spells it: "▁true"
	No      string `json:"no" yaml:"no"`
	OneWord bool   `json:"-" yaml:"-"` // the logit of Yes alone is the score; in infbench.json "no": ""
}

// The places of a judge's prompt.
const (
	queryPlace       = "{query}"
	instructionPlace = "{instruction}"
	documentPlace    = "{document}"
)

// check returns all problems.
func (j Judge) check() error {
	var errs []error
	for _, place := range []string{queryPlace, documentPlace} {
		if strings.Count(j.Prompt, place) != 1 {
			errs = append(errs, fmt.Errorf("judge prompt %q must hold %s once", j.Prompt, place))
		}
	}
	switch n := strings.Count(j.Prompt, instructionPlace); {
	case n > 1:
		errs = append(errs, fmt.Errorf("judge prompt %q holds %s %d times, want once at most", j.Prompt, instructionPlace, n))
	case n == 0 && j.Instruction != "":
		errs = append(errs, fmt.Errorf("judge instruction %q has no place: the prompt %q does not hold %s", j.Instruction, j.Prompt, instructionPlace))
	}
	if j.Yes == "" || j.No == j.Yes || (j.No == "") != j.OneWord {
		errs = append(errs, fmt.Errorf("judge needs two different words, but has %q and %q (\"no\": \"\" for a score by one word)", j.Yes, j.No))
	}
	return errors.Join(errs...)
}

// words returns the ids of the tokens whose logits score: no and yes, or yes alone.
func (j Judge) words(t *tokenizer.Tokenizer) ([]int32, error) {
	if t == nil {
		return nil, errNoTokenizer
	}
	list := []string{j.No, j.Yes}
	if j.OneWord {
		list = list[1:]
	}
	var ids []int32
	var errs []error
	for _, word := range list {
		id, ok := t.ID(word)
		if !ok {
			errs = append(errs, notOneToken(word, t))
		}
		ids = append(ids, id)
	}
	return ids, errors.Join(errs...)
}

// notOneToken is the error for a judge's word that is not a token, with the tokens that it
// becomes.
func notOneToken(word string, t *tokenizer.Tokenizer) error {
	var parts []string
	for _, id := range t.Tokenize(word) {
		parts = append(parts, fmt.Sprintf("%q", t.Token(id)))
	}
	switch len(parts) {
	case 0:
		return fmt.Errorf("the judge's word %q is not a token of the vocabulary", word)
	case 1:
		return fmt.Errorf("the judge's word %q is not a token of the vocabulary, which reads it as %s", word, parts[0])
	}
	return fmt.Errorf("the judge's word %q is not a token of the vocabulary, which reads it as the %d tokens %s: a score needs the logit of one token", word, len(parts), strings.Join(parts, ", "))
}

// OpenJudge reads a language model (OpenLanguageModel) and asks it as judge defines, ignoring its
// infbench.json.
func OpenJudge(dir string, judge Judge, backend compute.Backend) (*CrossEncoder, error) {
	e, err := openFolder(dir, backend, nil, func(c *Config, _ architecture) (head, error) { return languageModelOf(c) })
	if err == nil {
		var c *CrossEncoder
		if c, err = newJudge(e, judge, true); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("open judge %s: %w", dir, err)
}

// newJudge scores by the logits of the words. special makes the tokenizer add its special tokens
// to the prompt.
func newJudge(e *Encoder, j Judge, special bool) (*CrossEncoder, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	words, err := j.words(e.tokens.tokenizer)
	if err != nil {
		return nil, err
	}
	read := func(query, instruction, document string) (sequence, error) {
		if !strings.Contains(j.Prompt, instructionPlace) {
			query, instruction = e.config.Text.query(query, instruction), ""
		} else {
			query, instruction = e.config.Text.query(query, ""), cmp.Or(instruction, j.Instruction)
		}
		return e.tokens.prompted(j.Prompt, query, instruction, document, special)
	}
	return newCrossEncoder(e, read, len(words), func(n *network, in input) *graph.Node {
		return e.params.head.(tokenHead).next(n, in, words)
	}), nil
}

// ErrTooLong is returned for a pair that is too long even without its document.
var ErrTooLong = errors.New("text too long")

// prompted fills a prompt. A long prompt loses words at the end of the document, so that the
// question stays complete.
func (t *Tokens) prompted(prompt, query, instruction, document string, special bool) (sequence, error) {
	limit, encode := t.config.Text.MaxDocument, t.tokenizer.Encode
	if !special {
		encode = t.tokenizer.EncodeBare
	}
	fill := func(document string) []int32 {
		return encode(strings.NewReplacer(queryPlace, query, instructionPlace, instruction, documentPlace, document).Replace(prompt), 0)
	}
	ids := fill(document)
	if len(ids) <= limit {
		return sequence{ids: ids}, nil
	}
	ends := wordEnds(document)
	tooLong := sort.Search(len(ends), func(i int) bool { return len(fill(document[:ends[i]])) > limit })
	kept := 0
	if tooLong > 0 {
		kept = ends[tooLong-1]
	}
	ids = fill(document[:kept])
	if len(ids) > limit {
		return sequence{}, fmt.Errorf("%w: prompt and query take %d tokens, but the model reads %d", ErrTooLong, len(ids), limit)
	}
	return sequence{ids: ids}, nil
}

// wordEnds lists the byte positions where the words of a text end.
func wordEnds(text string) []int {
	var ends []int
	inWord := false
	for i, r := range text {
		if space := unicode.IsSpace(r); space && inWord {
			ends = append(ends, i)
			inWord = false
		} else if !space {
			inWord = true
		}
	}
	if inWord {
		ends = append(ends, len(text))
	}
	return ends
}
