package encoder

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// Judge defines how a language model is asked whether a document is relevant, and the first words
// of its answers: MonoT5's true and false (Nogueira et al. 2020), FLAN-T5's and decoders' yes and
// no.
type Judge struct {
	Prompt string `json:"prompt" yaml:"prompt"` // holds {query} and {document} once each
	Yes    string `json:"yes" yaml:"yes"`       // a token as the vocabulary spells it: "▁true"
	No     string `json:"no" yaml:"no"`
}

// check returns all problems.
func (j Judge) check() error {
	var errs []error
	for _, place := range []string{"{query}", "{document}"} {
		if strings.Count(j.Prompt, place) != 1 {
			errs = append(errs, fmt.Errorf("judge prompt %q must hold %s once", j.Prompt, place))
		}
	}
	if j.Yes == "" || j.No == "" || j.Yes == j.No {
		errs = append(errs, fmt.Errorf("judge needs two different words, but has %q and %q", j.Yes, j.No))
	}
	return errors.Join(errs...)
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

// newJudge scores by the logits of the two words. special makes the tokenizer add its special
// tokens to the prompt.
func newJudge(e *Encoder, j Judge, special bool) (*CrossEncoder, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	if e.tokens.tokenizer == nil {
		return nil, errNoTokenizer
	}
	var words []int32
	for _, word := range []string{j.No, j.Yes} {
		id, ok := e.tokens.tokenizer.ID(word)
		if !ok {
			return nil, fmt.Errorf("the judge's word %q is not a token of the vocabulary", word)
		}
		words = append(words, id)
	}
	read := func(query, document string) (sequence, error) {
		return e.tokens.prompted(j.Prompt, query, document, special)
	}
	return newCrossEncoder(e, read, len(words), func(n *network, in input) *graph.Node {
		return e.params.head.(tokenHead).next(n, in, words)
	}), nil
}

// ErrTooLong is returned for a pair that is too long even without its document.
var ErrTooLong = errors.New("text too long")

// prompted fills a prompt. A long prompt loses words at the end of the document, so that the
// question stays complete.
func (t *Tokens) prompted(prompt, query, document string, special bool) (sequence, error) {
	limit, encode := t.config.Text.MaxDocument, t.tokenizer.Encode
	if !special {
		encode = t.tokenizer.EncodeBare
	}
	fill := func(document string) []int32 {
		return encode(strings.NewReplacer("{query}", query, "{document}", document).Replace(prompt), 0)
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
