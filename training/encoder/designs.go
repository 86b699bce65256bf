package encoder

import (
	"errors"
	"fmt"
	"strings"

	"infbench/internal/nearest"
	"infbench/training/setting"
)

// Edge is an end of a row of tokens.
type Edge string

// The edges.
const (
	Left  Edge = "left"
	Right Edge = "right"
)

// Concatenation selects whether texts or tokens are joined if instruction and query are encoded
// together.
type Concatenation string

// ByText joins the texts and encodes the result as one. ByToken encodes each with its own special
// tokens, at most MaxQuery of them, and joins the ids. The text that the template writes between
// them comes without special tokens, and is left out if the vocabulary has no space. The
// reference code's map types are trained this way. If both together are longer than the network's
// positions, truncation shortens them as if they were one text.
const (
	ByText  Concatenation = "text"
	ByToken Concatenation = "token"
)

// The names that Design.Join knows in addition to templates.
const (
	queryFirst       = "query_first"
	instructionFirst = "instruction_first"
	instruct         = "instruct"

	instructTemplate = "Instruct: {instruction}\nQuery: {query}"
)

// Design is the set of changes that an experiment makes to a backbone before training or
// evaluation. Empty fields keep the backbone's settings.
type Design struct {
	ShareEncoder *bool `yaml:"share_encoder,omitempty"` // false: see Encoder.Separate

	Pooling Pooling `yaml:"pooling,omitempty"`

	// Score is cosine, the default, or dot, which leaves out the backbone's Normalize module.
	Score Score `yaml:"score,omitempty" json:",omitempty"`

	// PaddingSide is the side on which short rows are padded. It matters only in networks that
	// count absolute positions along the row, padding included (BERT, DistilBERT). With left,
	// these get every text at the end of MaxQuery or MaxDocument tokens.
	PaddingSide Edge `yaml:"padding_side,omitempty"`

	// TruncationSide is the side on which long texts are cut: right removes the instruction of
	// "query instruction" first, left the query.
	TruncationSide Edge `yaml:"truncation_side,omitempty"`

	// Prompts false removes the text that the folder's templates write around texts ("query: ").
	// True keeps it, as does the empty field.
	Prompts *bool `yaml:"prompts,omitempty"`

	// Join is query_first or instruction_first, which reorder the template; instruct, "Instruct:
	// {instruction}\nQuery: {query}"; or a template with {query} and {instruction}.
	Join   string        `yaml:"join,omitempty"`
	Concat Concatenation `yaml:"concat,omitempty"`

	MaxQuery    int `yaml:"max_query_tokens,omitempty"`
	MaxDocument int `yaml:"max_document_tokens,omitempty"`
}

// Describe describes the fields of a Design.
func (Design) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "share_encoder", Label: "one encoder for queries and documents", Paper: []string{"true"}, Unsaid: "true", Meaning: "one encoder for queries and documents; false trains two", Source: "InF-IR paper, table 4"},
		{Name: "pooling", Label: "pooling", Unsaid: "the backbone's", Meaning: "how the states of a text's tokens are combined into one vector", Source: "InF-IR paper, table 4"},
		{Name: "score", Label: "score", Paper: []string{"", "cosine"}, Unsaid: "cosine", Meaning: "how a passage is scored for an instruction with its query, in training and in evaluation: by the cosine of their vectors, or by dot, the inner product of vectors as pooled", Source: setting.Own},
		{Name: "padding_side", Label: "padding side", Unsaid: "the backbone's", Meaning: "side on which short rows of a batch are padded; it matters only in networks with absolute positions", Source: setting.Code},
		{Name: "truncation_side", Label: "truncation side", Paper: []string{"right", ""}, Unsaid: "the backbone's", Meaning: "side on which long texts are cut", Source: setting.Code},
		{Name: "prompts", Label: "prompts", Paper: []string{"false"}, Unsaid: "true", Meaning: "keep the text that the backbone's templates write around texts, such as \"query: \"", Source: setting.Own},
		{Name: "join", Label: "joining order", Paper: []string{"query_first"}, Unsaid: "the backbone's, or as train.fidelity sets it", Meaning: "order of instruction and query in one text, or a template with {query} and {instruction}", Source: setting.PaperOrCode},
		{Name: "concat", Label: "order of instruction and query", Paper: []string{"text"}, Unsaid: "text", Meaning: "join instruction and query as texts, or as separately encoded tokens", Source: setting.Code},
		{Name: "max_query_tokens", Label: "longest query, in tokens", Paper: []string{"256"}, Range: "[0,∞)", Unit: "tokens", Unsaid: "the backbone's", Meaning: "length at which queries with their instructions are cut", Source: "reference code: 256"},
		{Name: "max_document_tokens", Label: "longest document, in tokens", Paper: []string{"512"}, Range: "[0,∞)", Unit: "tokens", Unsaid: "the backbone's", Meaning: "length at which documents are cut", Source: "reference code: 512"},
	}
}

// Check returns every value that is invalid for any backbone.
func (d Design) Check() error {
	errs := []error{
		nearest.OneOf("pooling", string(d.Pooling), poolings()...),
		nearest.OneOf("score", d.Score, CosineScore, DotScore),
		nearest.OneOf("padding_side", d.PaddingSide, Left, Right),
		nearest.OneOf("truncation_side", d.TruncationSide, Left, Right),
		nearest.OneOf("concat", d.Concat, ByText, ByToken),
	}
	if !strings.Contains(d.Join, "{") {
		errs = append(errs, nearest.OneOf("join", d.Join, queryFirst, instructionFirst, instruct, "a template with {query} and {instruction}"))
	} else {
		errs = append(errs, checkTemplate("join", d.Join, "{query}", "{instruction}"))
	}
	for _, n := range []struct {
		key   string
		value int
	}{{"max_query_tokens", d.MaxQuery}, {"max_document_tokens", d.MaxDocument}} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s %d: want at least 1", n.key, n.value))
		}
	}
	return errors.Join(errs...)
}

// Apply changes the encoder by a design; on an error the encoder is unchanged. Save keeps the
// changes. Apply must not be called while the encoder encodes or is trained.
func (e *Encoder) Apply(d Design) error {
	if err := d.Check(); err != nil {
		return err
	}
	t := e.config.Text
	d.change(&t)
	_, isStatic := e.params.arch.(static)
	if isStatic && t.Pooling != Mean {
		return fmt.Errorf("pooling %s: a table of word vectors only supports mean", t.Pooling)
	}
	if err := t.check(e.config.maxTokens); err != nil {
		return err
	}
	if d.ShareEncoder != nil && !*d.ShareEncoder {
		if err := e.Separate(); err != nil {
			return err
		}
	} else if d.ShareEncoder != nil && e.params.separate {
		return errors.New("share_encoder: the model's encoders are separate and cannot be merged into one")
	}
	e.config.Text = t
	e.tokens.tokenizer = cutting(e.tokens.tokenizer, t.TruncationSide)
	e.passes.setText(&t)
	return nil
}

// change changes the handling of texts.
func (d Design) change(t *Text) {
	if d.Prompts != nil && !*d.Prompts {
		t.Query, t.QueryAlone, t.Document, t.DocumentAlone = defaultQuery, defaultQueryAlone, defaultDocument, defaultDocumentAlone
	}
	switch d.Join {
	case "":
	case queryFirst:
		t.Query = inOrder(t.Query, "{query}", "{instruction}")
	case instructionFirst:
		t.Query = inOrder(t.Query, "{instruction}", "{query}")
	case instruct:
		t.Query = instructTemplate
	default:
		t.Query = d.Join
	}
	setIf(&t.Pooling, d.Pooling)
	setIf(&t.Score, d.Score)
	if t.Score == DotScore {
		t.Normalize = false
	}
	setIf(&t.PaddingSide, d.PaddingSide)
	setIf(&t.TruncationSide, d.TruncationSide)
	setIf(&t.Concat, d.Concat)
	setIf(&t.MaxQuery, d.MaxQuery)
	setIf(&t.MaxDocument, d.MaxDocument)
}

// inOrder swaps two places of a template if the second comes first.
func inOrder(template, first, second string) string {
	if strings.Index(template, first) < strings.Index(template, second) {
		return template
	}
	return strings.NewReplacer(first, second, second, first).Replace(template)
}
