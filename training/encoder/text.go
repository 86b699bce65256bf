package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// Text says how texts become token sequences and token states a vector.
type Text struct {
	Pooling   Pooling
	Normalize bool // vectors have length 1

	BothWays bool // a decoder attends to later tokens too, as GritLM's does when it embeds

	Prompt PromptPooling // whether prompts are pooled; empty: they are

	Interaction Interaction // how instruction and query meet; empty: Concat

	// Query joins query and instruction; QueryAlone is used where there is no
	// instruction; Document joins title and text, DocumentAlone is used where
	// there is no title. Each holds {query}, {instruction}, {title}, {text}.
	Query, QueryAlone, Document, DocumentAlone string

	// Concat says what the template joins: texts, or their tokens. Empty: ByText.
	Concat Concatenation

	// MaxQuery and MaxDocument are in tokens, special ones included. A
	// cross-encoder's pair has at most MaxDocument.
	MaxQuery, MaxDocument int

	TruncationSide Edge // of texts that are longer; empty: as the tokenizer's file says
	PaddingSide    Edge // of vectors' texts that are shorter; empty: Right

	// AppendEOS puts config.json's eos_token_id after every text that does not end
	// with it, as decoders pooled at the last token are trained (RepLLaMA).
	AppendEOS bool

	Judge Judge // how a language model is asked; empty: it is not

	most           int  // of MaxQuery and MaxDocument, where they are not set and the network reads as many; 0: as usual
	attentionKnown bool // BothWays is as card or infbench.json says

	saysPrompt bool // prompts would be left out if Prompt were not said

	reading tokenizer.Reading // of the folder's tokenizer.json

	cuts    bool   // MaxQuery and MaxDocument are of files that may name more than the network reads
	leftOut string // beginnings of the names of tensors that are not read, a line each
	prefix  string // of the names of tensors that are read

	lower bool // texts are lower-cased first (sentence-transformers' do_lower_case)

	notRead  string // files of sentence-transformers that lie in a folder without modules.json
	unlisted bool   // Pooling is of a 1_Pooling that no modules.json names
	unpooled bool   // no file says Pooling

	dims int // values that vectors are cut to once they are made (sentence-transformers' truncate_dim); 0: none
}

// The defaults: query before instruction, as InF-Embed's code (its paper
// prints the reverse, spec/training.md), title before text as FollowIR's e5.
const (
	defaultQuery         = "{query} {instruction}"
	defaultQueryAlone    = "{query}"
	defaultDocument      = "{title} {text}"
	defaultDocumentAlone = "{text}"
	defaultMaxQuery      = 256 // InF-Embed's training lengths
	defaultMaxDocument   = 512
)

// The attentions of cards and settings; only a decoder has a choice.
const (
	bidirectional   = "bidirectional"
	causalAttention = "causal"
)

// setDefaults fills what is empty; positions is the longest sequence the
// network can read (0: unbounded).
func (t *Text) setDefaults(positions int) {
	query, document := defaultMaxQuery, defaultMaxDocument
	if t.most > 0 {
		query, document = t.most, t.most
	}
	if positions > 0 {
		query, document = min(query, positions), min(document, positions)
	}
	setDefault(&t.Pooling, Mean)
	setDefault(&t.Prompt, IncludePrompt)
	setDefault(&t.Interaction, Concat)
	setDefault(&t.Query, defaultQuery)
	setDefault(&t.QueryAlone, defaultQueryAlone)
	setDefault(&t.Document, defaultDocument)
	setDefault(&t.DocumentAlone, defaultDocumentAlone)
	setDefault(&t.MaxQuery, query)
	setDefault(&t.MaxDocument, document)
}

// check returns everything that is wrong.
func (t *Text) check(positions int) error {
	errs := []error{t.Interaction.check(), t.checkPrompt()}
	if !slices.Contains(poolings(), string(t.Pooling)) {
		errs = append(errs, nearest.Unknown("pooling", string(t.Pooling), poolings()))
	}
	errs = append(errs,
		checkTemplate("query template", t.Query, "{query}", "{instruction}"),
		checkTemplate("query template without instruction", t.QueryAlone, "{query}"),
		checkTemplate("document template", t.Document, "{title}", "{text}"),
		checkTemplate("document template without title", t.DocumentAlone, "{text}"),
		Design{PaddingSide: t.PaddingSide, TruncationSide: t.TruncationSide, Concat: t.Concat}.Check())
	for _, n := range []int{t.MaxQuery, t.MaxDocument} {
		if n < 1 || positions > 0 && n > positions {
			errs = append(errs, fmt.Errorf("a maximum of %d tokens is not in [1,%d], what the network has positions for", n, positions))
		}
	}
	if t.AppendEOS && min(t.MaxQuery, t.MaxDocument) < 2 {
		errs = append(errs, errors.New("append_eos leaves no room for a text of one token"))
	}
	return errors.Join(errs...)
}

// lowering returns the tokenizer that lower-cases texts where they are to be.
func (t *Text) lowering(tok *tokenizer.Tokenizer) (*tokenizer.Tokenizer, error) {
	if !t.lower || tok == nil {
		return tok, nil
	}
	lowered, err := tok.Lowered()
	if err != nil {
		return nil, fmt.Errorf("%s: do_lower_case true: %w: write false there, or a tokenizer.json", lengthFile, err)
	}
	return lowered, nil
}

// checkTemplate wants each place once.
func checkTemplate(name, template string, places ...string) error {
	var errs []error
	for _, place := range places {
		if strings.Count(template, place) != 1 {
			errs = append(errs, fmt.Errorf("%s %q must hold %s once", name, template, place))
		}
	}
	return errors.Join(errs...)
}

// longestQuery bounds the tokens of a query with its instruction, but for what a
// template writes around them.
func (t *Text) longestQuery() int {
	if t.Concat == ByToken {
		return 2 * t.MaxQuery
	}
	return t.MaxQuery
}

// query joins a query and its instruction, which may be empty.
func (t *Text) query(query, instruction string) string {
	joined := strings.Replace(t.QueryAlone, "{query}", query, 1)
	if instruction != "" {
		joined = strings.NewReplacer("{query}", query, "{instruction}", instruction).Replace(t.Query)
	}
	return t.trim(t.queryPrompt(instruction), joined)
}

// document joins a title, which may be empty, and a text.
func (t *Text) document(title, text string) string {
	joined := strings.Replace(t.DocumentAlone, "{text}", text, 1)
	if title != "" {
		joined = strings.NewReplacer("{title}", title, "{text}", text).Replace(t.Document)
	}
	return t.trim(t.documentPrompt(title), joined)
}
