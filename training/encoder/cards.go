package encoder

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
)

// Card describes how to use a published model: its source, and how its makers, or those who
// evaluated it first, turn texts into its input. An empty field is unknown; nothing is guessed.
// Prompts are templates with {query}, {instruction}, {title}, {text} and, for a judge,
// {document}.
type Card struct {
	Name         string     `yaml:"name" json:"name"`
	Paper        []PaperRow `yaml:"paper" json:"paper,omitempty"`
	Kind         string     `yaml:"kind" json:"kind"`             // one of cardKinds
	Repository   string     `yaml:"repository" json:"repository"` // on huggingface.co, or a provider's model name
	Base         string     `yaml:"base" json:"base,omitempty"`   // for an adapter: the repository to merge it into
	BaseRevision string     `yaml:"base_revision" json:"base_revision,omitempty"`
	Revision     string     `yaml:"revision" json:"revision"` // a commit; "": unpinned
	Licence      string     `yaml:"licence" json:"licence"`

	Architecture string `yaml:"architecture" json:"architecture"` // model_type of config.json
	Attention    string `yaml:"attention" json:"attention,omitempty"`
	Size         string `yaml:"size" json:"size"`

	Pooling    Pooling       `yaml:"pooling" json:"pooling,omitempty"`
	Normalize  *bool         `yaml:"normalize" json:"normalize,omitempty"`
	Prompt     PromptPooling `yaml:"prompt_pooling" json:"prompt_pooling,omitempty"`
	Similarity string        `yaml:"similarity" json:"similarity,omitempty"`

	Query         string `yaml:"query" json:"query"`
	QueryAlone    string `yaml:"query_without_instruction" json:"query_without_instruction,omitempty"`
	Document      string `yaml:"document" json:"document,omitempty"`
	DocumentAlone string `yaml:"document_without_title" json:"document_without_title,omitempty"`
	Judge         *Judge `yaml:"judge" json:"judge,omitempty"`

	MaxTokens int `yaml:"max_tokens" json:"max_tokens,omitempty"`
	// MaxQueryTokens is the length of queries if they have their own, as in late interaction;
	// then MaxTokens is the length of documents.
	MaxQueryTokens int `yaml:"max_query_tokens" json:"max_query_tokens,omitempty"`

	Padding   string `yaml:"padding" json:"padding,omitempty"`
	AppendEOS bool   `yaml:"append_eos" json:"append_eos,omitempty"`

	Citation string   `yaml:"citation" json:"citation"`
	Notes    string   `yaml:"notes" json:"notes,omitempty"`
	Sources  []string `yaml:"sources" json:"sources"` // sources of the prompts
}

// PaperRow is a row of the paper's results that uses the model, as a baseline or as the backbone
// of InF-Embed.
type PaperRow struct {
	Table int    `yaml:"table" json:"table"`
	Model string `yaml:"model" json:"model"` // as printed
}

// The kinds of models that are read from a folder.
const (
	KindEncoder  = "encoder"          // a vector for each text
	KindReranker = "reranker"         // scores of pairs
	KindLate     = "late-interaction" // a vector for each token
	KindSparse   = "sparse"           // weights of tokens
)

// cardKinds lists the kinds that a card can describe, including models without weights and models
// behind an interface.
func cardKinds() []string {
	return []string{KindEncoder, KindLate, "lexical", "remote", KindReranker, KindSparse}
}

// InFolder reports whether a model of the card's kind is read from a folder.
func (c *Card) InFolder() bool {
	return slices.Contains([]string{KindEncoder, KindReranker, KindLate, KindSparse}, c.Kind)
}

// Finds reports whether a model of the card's kind finds documents by itself.
func (c *Card) Finds() bool {
	return slices.Contains([]string{KindEncoder, KindLate, KindSparse}, c.Kind)
}

//go:embed models/*.yaml
var cardFiles embed.FS

// Cards returns all embedded model cards by name. They are read once, so the data that a card
// points to must not be changed; CardOf returns a copy that may be.
func Cards() ([]Card, error) {
	cards, err := embeddedCards()
	return slices.Clone(cards), err
}

// embeddedCards reads all cards once: reading takes milliseconds, and names are looked up often.
var embeddedCards = sync.OnceValues(func() ([]Card, error) {
	entries, err := cardFiles.ReadDir("models")
	if err != nil {
		return nil, err
	}
	var cards []Card
	for _, entry := range entries {
		c, err := readCard(entry.Name())
		if err != nil {
			return nil, err
		}
		cards = append(cards, c)
	}
	slices.SortFunc(cards, func(a, b Card) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return cards, nil
})

// CardOf returns a new copy of the card with a name, in any case, or a repository.
func CardOf(name string) (Card, error) {
	cards, err := embeddedCards()
	if err != nil {
		return Card{}, err
	}
	var names []string
	for _, c := range cards {
		if strings.EqualFold(c.Name, name) || name != "" && strings.EqualFold(c.Repository, name) {
			return readCard(c.Name + ".yaml")
		}
		names = append(names, c.Name)
	}
	return Card{}, nearest.Unknown("model", name, names)
}

// readCard reads one embedded file.
func readCard(file string) (Card, error) {
	data, err := cardFiles.ReadFile(path.Join("models", file))
	if err != nil {
		return Card{}, err
	}
	c, err := ParseCard(data)
	if err == nil && file != c.Name+".yaml" {
		err = fmt.Errorf("the card's name is %q", c.Name)
	}
	if err != nil {
		return Card{}, fmt.Errorf("model card %s: %w", file, err)
	}
	return c, nil
}

// ParseCard reads one card, strictly: unknown keys, a second document and
// values out of range are errors.
func ParseCard(data []byte) (Card, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var c Card
	if err := decoder.Decode(&c); err != nil {
		return Card{}, err
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return Card{}, errors.New("more than one document")
	}
	return c, c.check()
}

// check returns all problems.
func (c *Card) check() error {
	var errs []error
	if c.Name == "" || len(c.Sources) == 0 {
		errs = append(errs, errors.New("a card needs name and sources"))
	}
	errs = append(errs,
		nearest.OneOf("kind", cmp.Or(c.Kind, "none"), cardKinds()...),
		nearest.OneOf("pooling", string(c.Pooling), poolings()...),
		nearest.OneOf("prompt_pooling", string(c.Prompt), promptPoolings()...),
		nearest.OneOf("similarity", c.Similarity, "cosine", "dot", "maxsim"),
		nearest.OneOf("padding", c.Padding, "left", "right"),
		nearest.OneOf("attention", c.Attention, bidirectional, causalAttention))
	for _, t := range []struct {
		template string
		places   []string
	}{
		{c.Query, []string{"{query}", "{instruction}"}},
		{c.QueryAlone, []string{"{query}"}},
		{c.Document, []string{"{title}", "{text}"}},
		{c.DocumentAlone, []string{"{text}"}},
	} {
		for _, place := range t.places {
			if t.template != "" && strings.Count(t.template, place) != 1 {
				errs = append(errs, fmt.Errorf("template %q must hold %s once", t.template, place))
			}
		}
	}
	if c.Judge != nil {
		errs = append(errs, c.Judge.check())
	}
	if c.MaxTokens < 0 || c.MaxQueryTokens < 0 {
		errs = append(errs, fmt.Errorf("max_tokens is %d, max_query_tokens %d", c.MaxTokens, c.MaxQueryTokens))
	}
	if (c.Similarity == "maxsim") != (c.Kind == KindLate) && c.Similarity != "" {
		errs = append(errs, fmt.Errorf("similarity %s of a model that is %s", c.Similarity, c.Kind))
	}
	return errors.Join(errs...)
}

// Unknown lists the missing fields, by key, that a user of such a model needs.
func (c *Card) Unknown() []string {
	type field struct {
		key   string
		known bool
	}
	fields := []field{{"licence", c.Licence != ""}, {"citation", c.Citation != ""}, {"query", c.Query != ""}}
	if c.Kind != "lexical" {
		fields = append(fields, field{"repository", c.Repository != ""}, field{"max_tokens", c.MaxTokens != 0})
	}
	if c.InFolder() {
		fields = append(fields, field{"revision", c.Revision != ""}, field{"architecture", c.Architecture != ""}, field{"size", c.Size != ""})
	}
	if c.Kind == KindLate {
		fields = append(fields, field{"max_query_tokens", c.MaxQueryTokens != 0})
	}
	if c.Kind == KindEncoder {
		fields = append(fields, field{"pooling", c.Pooling != ""}, field{"normalize", c.Normalize != nil},
			field{"similarity", c.Similarity != ""}, field{"document", c.Document != ""})
	}
	var unknown []string
	for _, f := range fields {
		if !f.known {
			unknown = append(unknown, f.key)
		}
	}
	return unknown
}
