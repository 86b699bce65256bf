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

// Concatenation says what is joined where instruction and query are read together.
type Concatenation string

// ByText joins the texts and reads the result as one. ByToken reads each with its
// own special tokens, at most MaxQuery of them, and joins the ids; what the
// template writes between them comes without special tokens, and is nothing where
// the vocabulary has no space. It is how the reference code's map types are trained.
// Where both together are longer than the network's positions, truncation takes
// from them as if they were one.
const (
	ByText  Concatenation = "text"
	ByToken Concatenation = "token"
)

// The names that Design.Join knows beside templates.
const (
	queryFirst       = "query_first"
	instructionFirst = "instruction_first"
	instruct         = "instruct"

	instructTemplate = "Instruct: {instruction}\nQuery: {query}"
)

// Design is what an experiment changes in a backbone before it is trained or
// evaluated; fields that are empty leave the backbone as its folder has it.
type Design struct {
	ShareEncoder *bool `yaml:"share_encoder,omitempty"` // false: see Encoder.Separate

	Pooling Pooling `yaml:"pooling,omitempty"`

	// PaddingSide is where short rows are filled up. It tells only in networks that
	// count absolute positions along the row, padding included (BERT, DistilBERT);
	// with left, these get every text at the end of MaxQuery or MaxDocument tokens.
	PaddingSide Edge `yaml:"padding_side,omitempty"`

	// TruncationSide is where texts are cut that are too long: right takes the
	// instruction of "query instruction" away first, left the query.
	TruncationSide Edge `yaml:"truncation_side,omitempty"`

	// Prompts false takes away what the folder's templates write around texts
	// ("query: "). True leaves it, as the empty field does.
	Prompts *bool `yaml:"prompts,omitempty"`

	// Join is query_first or instruction_first, which reorder the template; instruct,
	// "Instruct: {instruction}\nQuery: {query}"; or a template that holds {query} and
	// {instruction}.
	Join   string        `yaml:"join,omitempty"`
	Concat Concatenation `yaml:"concat,omitempty"`

	MaxQuery    int `yaml:"max_query_tokens,omitempty"`
	MaxDocument int `yaml:"max_document_tokens,omitempty"`
}

// Describe says what the fields of a Design are.
func (Design) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "share_encoder", Label: "one encoder for queries and documents", Paper: []string{"true"}, Unsaid: "true", Meaning: "one encoder for queries and documents; false trains two", Source: "InF-IR paper, table 4"},
		{Name: "pooling", Label: "pooling", Unsaid: "the backbone's", Meaning: "how the states of a text's tokens become one vector", Source: "InF-IR paper, table 4"},
		{Name: "padding_side", Label: "padding side", Unsaid: "the backbone's", Meaning: "where short rows of a batch are filled up; it tells in networks with absolute positions only", Source: setting.Code},
		{Name: "truncation_side", Label: "truncation side", Paper: []string{"right", ""}, Unsaid: "the backbone's", Meaning: "where texts that are too long are cut", Source: setting.Code},
		{Name: "prompts", Label: "prompts", Paper: []string{"false"}, Unsaid: "true", Meaning: "keep what the backbone's templates write around texts, as \"query: \"", Source: setting.Own},
		{Name: "join", Label: "joining order", Paper: []string{"query_first"}, Unsaid: "the backbone's, or what train.fidelity says", Meaning: "order of instruction and query in one text, or a template with {query} and {instruction}", Source: setting.PaperOrCode},
		{Name: "concat", Label: "order of instruction and query", Paper: []string{"text"}, Unsaid: "text", Meaning: "join instruction and query as texts, or as tokens that were read apart", Source: setting.Code},
		{Name: "max_query_tokens", Label: "longest query, in tokens", Paper: []string{"256"}, Range: "[0,∞)", Unit: "tokens", Unsaid: "the backbone's", Meaning: "length at which queries with their instructions are cut", Source: "reference code: 256"},
		{Name: "max_document_tokens", Label: "longest document, in tokens", Paper: []string{"512"}, Range: "[0,∞)", Unit: "tokens", Unsaid: "the backbone's", Meaning: "length at which documents are cut", Source: "reference code: 512"},
	}
}

// Check returns every value that no backbone could have.
func (d Design) Check() error {
	errs := []error{
		nearest.OneOf("pooling", string(d.Pooling), poolings()...),
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

// Apply changes the encoder as a design says; an error leaves it as it was. Save
// keeps the changes. It must not be called while the encoder encodes or is trained.
func (e *Encoder) Apply(d Design) error {
	if err := d.Check(); err != nil {
		return err
	}
	t := e.config.Text
	d.change(&t)
	_, isStatic := e.params.arch.(static)
	if isStatic && t.Pooling != Mean {
		return fmt.Errorf("pooling %s: a table of word vectors has mean only", t.Pooling)
	}
	if err := t.check(e.config.maxTokens); err != nil {
		return err
	}
	if d.ShareEncoder != nil && !*d.ShareEncoder {
		if err := e.Separate(); err != nil {
			return err
		}
	} else if d.ShareEncoder != nil && e.params.separate {
		return errors.New("share_encoder: the model's encoders are separate, and which of them to share is open")
	}
	e.config.Text = t
	e.tokens.tokenizer = cutting(e.tokens.tokenizer, t.TruncationSide)
	e.passes.setText(&t)
	return nil
}

// change changes how texts are handled.
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
	setIf(&t.PaddingSide, d.PaddingSide)
	setIf(&t.TruncationSide, d.TruncationSide)
	setIf(&t.Concat, d.Concat)
	setIf(&t.MaxQuery, d.MaxQuery)
	setIf(&t.MaxDocument, d.MaxDocument)
}

// inOrder swaps two places of a template where the second comes first.
func inOrder(template, first, second string) string {
	if strings.Index(template, first) < strings.Index(template, second) {
		return template
	}
	return strings.NewReplacer(first, second, second, first).Replace(template)
}
