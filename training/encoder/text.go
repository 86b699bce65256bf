package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/training/tokenizer"
)

// Text defines how texts become token sequences and token states a vector.
type Text struct {
	Pooling   Pooling
	Normalize bool // vectors have length 1

	// Score is how vectors are compared, in training and after it; empty: by cosines. Only Apply
	// sets it: a folder that is read does not decide how it is trained.
	Score Score `json:",omitempty"`

	BothWays bool // a decoder attends to later tokens too, as in GritLM's embedding mode

	Prompt PromptPooling // whether prompts are pooled; empty: they are

	Interaction Interaction // how instruction and query are combined; empty: Concat

	// Query joins query and instruction; QueryAlone is used without an instruction. Document
	// joins title and text; DocumentAlone is used without a title. Each holds {query},
	// {instruction}, {title}, {text}.
	Query, QueryAlone, Document, DocumentAlone string

	// Concat selects whether the template joins texts or their tokens. Empty: ByText.
	Concat Concatenation

	// MaxQuery and MaxDocument are in tokens, including special ones. A cross-encoder's pair has
	// at most MaxDocument.
	MaxQuery, MaxDocument int

	TruncationSide Edge // side on which longer texts are cut; empty: as in the tokenizer's file
	PaddingSide    Edge // side on which shorter texts of vectors are padded; empty: Right

	// AppendEOS puts config.json's eos_token_id after every text that does not end with it, as in
	// the training of decoders pooled at the last token (RepLLaMA).
	AppendEOS bool

	Judge Judge // how a language model is asked; empty: it is not asked

	most           int  // default of MaxQuery and MaxDocument if the network reads as many; 0: the usual
	attentionKnown bool // BothWays comes from card or infbench.json

	promptSet bool // prompts would be left out if Prompt were not set

	reading tokenizer.Reading // of the folder's tokenizer.json

	cuts    bool   // MaxQuery and MaxDocument come from files that may exceed the network
	leftOut string // prefixes of the names of tensors that are not read, one per line
	prefix  string // prefix of the names of tensors that are read

	lower bool // texts are lower-cased first (sentence-transformers' do_lower_case)

	notRead  string // files of sentence-transformers in a folder without modules.json
	unlisted bool   // Pooling comes from a 1_Pooling that no modules.json names
	unpooled bool   // no file sets Pooling
	stated   bool   // card or infbench.json says that the model has one vector for a text

	dims int // values to which finished vectors are cut (sentence-transformers' truncate_dim); 0: no cut
}

// The defaults: query before instruction, as in InF-Embed's code (its paper prints the reverse,
// spec/training.md), title before text as in FollowIR's e5.
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

// setDefaults fills empty settings; positions is the longest sequence that the network can read
// (0: no limit).
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

// check returns all problems.
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
			errs = append(errs, fmt.Errorf("a maximum of %d tokens is not in [1,%d], the positions of the network", n, positions))
		}
	}
	if t.AppendEOS && min(t.MaxQuery, t.MaxDocument) < 2 {
		errs = append(errs, errors.New("append_eos leaves no room for a text of one token"))
	}
	return errors.Join(errs...)
}

// lowering returns a tokenizer that lower-cases texts if t requires it.
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

// checkTemplate requires each place once.
func checkTemplate(name, template string, places ...string) error {
	var errs []error
	for _, place := range places {
		if strings.Count(template, place) != 1 {
			errs = append(errs, fmt.Errorf("%s %q must hold %s once", name, template, place))
		}
	}
	return errors.Join(errs...)
}

// longestQuery bounds the tokens of a query with its instruction, without the text that a
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
