package encoder

import (
	"errors"
	"fmt"
	"strings"

	"infbench/metrics/nearest"
)

// Text says how texts become token sequences and token states a vector.
type Text struct {
	Pooling   Pooling
	Normalize bool // vectors have length 1

	Interaction Interaction // how instruction and query meet; empty: Concat

	// Query joins query and instruction; QueryAlone is used where there is no
	// instruction; Document joins title and text, DocumentAlone is used where
	// there is no title. Each holds {query}, {instruction}, {title}, {text}.
	Query, QueryAlone, Document, DocumentAlone string

	// MaxQuery and MaxDocument are in tokens, special ones included. A
	// cross-encoder's pair has at most MaxDocument.
	MaxQuery, MaxDocument int

	// AppendEOS puts config.json's eos_token_id after every text that does not end
	// with it, as decoders pooled at the last token are trained (RepLLaMA).
	AppendEOS bool

	Judge Judge // how a language model is asked; empty: it is not
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

// setDefaults fills what is empty; positions is the longest sequence the
// network can read (0: unbounded).
func (t *Text) setDefaults(positions int) {
	query, document := defaultMaxQuery, defaultMaxDocument
	if positions > 0 {
		query, document = min(query, positions), min(document, positions)
	}
	setDefault(&t.Pooling, Mean)
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
	errs := []error{t.Interaction.check()}
	switch t.Pooling {
	case Mean, CLS, Last, WeightedMean:
	default:
		errs = append(errs, nearest.Unknown("pooling", string(t.Pooling), poolings()))
	}
	for _, f := range []struct {
		name, template string
		places         []string
	}{
		{"query template", t.Query, []string{"{query}", "{instruction}"}},
		{"query template without instruction", t.QueryAlone, []string{"{query}"}},
		{"document template", t.Document, []string{"{title}", "{text}"}},
		{"document template without title", t.DocumentAlone, []string{"{text}"}},
	} {
		for _, place := range f.places {
			if strings.Count(f.template, place) != 1 {
				errs = append(errs, fmt.Errorf("%s %q must hold %s once", f.name, f.template, place))
			}
		}
	}
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

// query joins a query and its instruction, which may be empty.
func (t *Text) query(query, instruction string) string {
	if instruction == "" {
		return strings.Replace(t.QueryAlone, "{query}", query, 1)
	}
	return strings.NewReplacer("{query}", query, "{instruction}", instruction).Replace(t.Query)
}

// document joins a title, which may be empty, and a text.
func (t *Text) document(title, text string) string {
	if title == "" {
		return strings.Replace(t.DocumentAlone, "{text}", text, 1)
	}
	return strings.NewReplacer("{title}", title, "{text}", text).Replace(t.Document)
}
