package training

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/nearest"
)

// Loss is the function that training minimises: a Contrastive, or a loss from another program.
// Both are built by the same code and have the same abilities.
//
// Training settings reach a loss in three ways. Candidates leave out false negatives and apply
// Hardness. Widths, distillation and the spread of vectors are put around any loss. Everything
// else is up to Graph, which reads it from o.
type Loss interface {
	// Name identifies a loss: letters, digits, "_", "-" and ".", beginning with a letter.
	Name() string

	// Version changes whenever the formula of the loss changes, so that another version is
	// another trial: letters, digits, "_", "-" and ".". Only a Contrastive has version "".
	Version() string

	// Needs is the set of terms whose candidates Graph uses, such as P | I. 0 means that it uses
	// only the vectors of every batch. Batches embed no more than a loss needs.
	Needs() Term

	// Graph builds the loss of a batch, a scalar. It is called once for each new batch shape and
	// must build the same formula each time. Like GoMLX it may panic if it cannot build the loss.
	Graph(o Objective, e Embedded) *graph.Node
}

var _ Loss = Contrastive{}

// Form is the way in which the terms of a loss are joined.
type Form string

// The forms: two of the paper and two more. Uni sums one softmax loss per term (eqs. 8-14). Multi
// puts the candidates of all terms into one softmax (eqs. 15-21). Sig decides for every candidate
// of all terms separately whether it is the positive: the sum of -log sigmoid(+-(score + bias))
// (SigLIP, arXiv 2303.15343; BiXSE, arXiv 2508.06781). Pairwise compares the positive with each
// candidate of a term on its own, and sums over the terms (see Couples).
const (
	Uni      Form = "uni"
	Multi    Form = "multi"
	Sig      Form = "sig"
	Pairwise Form = "pair"
)

// Forms lists the forms.
func Forms() []Form { return []Form{Uni, Multi, Sig, Pairwise} }

// known reports whether the form exists.
func (f Form) known() bool { return slices.Contains(Forms(), f) }

// About explains the form in words.
func (f Form) About() string {
	switch f {
	case Uni:
		return "the sum of one softmax loss for each term (equations 8 to 14 of the paper)"
	case Multi:
		return "one softmax over the candidates of all terms (equations 15 to 21)"
	case Pairwise:
		return "each pair of the positive with a candidate of its term on its own: which scores higher? (RankNet; LambdaLoss by train.pair)"
	}
	return "a sigmoid for each candidate on its own: is it the positive? (as in SigLIP)"
}

// Term is one set of candidates that the positive pair (p_i, iq_ii) is
// contrasted with. iq_jk is instruction j joined with query k.
type Term uint8

// The terms, in the order in which they are printed.
const (
	P  Term = 1 << iota // passages: (p_m, iq_ii) over the passages m of the batch
	I                   // instructions: (p_i, iq_ji) over sampled instructions j
	IQ                  // instruction-query pairs: (p_i, iq_kk), or (p_i, iq_ik) with QueryOnly
	ST                  // same tower: (iq_ii, iq_kk) and (p_i, p_k); reference code only
	IP                  // instructions times passages: (p_m, iq_ji); reference code only

	allTerms Term = 1<<iota - 1
)

var termNames = []struct {
	term        Term
	name, about string
}{
	{P, "P", "the pair of instruction and query with other passages"},
	{I, "I", "the passage with other instructions of the same query"},
	{IQ, "IQ", "the passage with other pairs of instruction and query"},
	{ST, "ST", "each side with itself: pairs with other pairs, passages with other passages (reference code only)"},
	{IP, "IP", "other passages with other instructions (reference code only)"},
}

// drawsInstructions is the set of terms that score a row's query under the instructions of other
// rows. Batches draw these instructions.
const drawsInstructions = I | IP

// drawsQueries reports whether batches draw queries of other rows for a loss that needs
// these terms.
func (o Objective) drawsQueries(needs Term) bool { return needs&IQ != 0 && o.IQ == QueryOnly }

// About explains what a single term contrasts.
func (t Term) About() string {
	for _, n := range termNames {
		if n.term == t {
			return n.about
		}
	}
	return ""
}

// String returns the name of one term, or of a set of terms joined by commas.
func (t Term) String() string {
	var names []string
	for _, n := range termNames {
		if t&n.term != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

// Split returns the single terms of a set in printing order.
func (t Term) Split() []Term {
	var single []Term
	for _, n := range termNames {
		if t&n.term != 0 {
			single = append(single, n.term)
		}
	}
	return single
}

// Contrastive is a built-in loss: a form over a set of terms. Every row of the paper's
// loss table is a value of this type; it is comparable and prints as "uni(P,I)".
type Contrastive struct {
	Form  Form
	Terms Term // a set: P | I
}

// Name returns the same as String.
func (l Contrastive) Name() string { return l.String() }

// Version returns "": Form and Terms define the loss completely.
func (l Contrastive) Version() string { return "" }

// Needs returns the terms.
func (l Contrastive) Needs() Term { return l.Terms }

// String returns the canonical name, which ParseLoss accepts.
func (l Contrastive) String() string { return fmt.Sprintf("%s(%s)", l.Form, l.Terms) }

// Plain returns the name as in the published tables, "multi:P+I". ParseLoss accepts it too, and
// it needs no quotes in YAML or in a shell.
func (l Contrastive) Plain() string {
	return string(l.Form) + ":" + strings.ReplaceAll(l.Terms.String(), ",", "+")
}

// Has reports whether the loss contains any of the terms.
func (l Contrastive) Has(t Term) bool { return l.Terms&t != 0 }

// AllLosses returns the 11 losses of the paper's tables 3 and 6, in row order. Univariate "multi"
// losses (eqs. 15-17) equal their uni counterparts and have no row.
func AllLosses() []Contrastive {
	return []Contrastive{
		{Uni, P}, {Uni, I}, {Uni, IQ},
		{Uni, P | I}, {Uni, P | IQ}, {Uni, I | IQ}, {Uni, P | I | IQ},
		{Multi, P | I}, {Multi, P | IQ}, {Multi, I | IQ}, {Multi, P | I | IQ},
	}
}

// ParseLoss parses any name of a loss: "uni(P,I)" with the terms in any order, "uni:P+I" as in
// the published tables, or "map_add/qk_with_neg" as in the reference code. A reference name
// returns the formula that the code computes, which in some cases differs from its README (see
// referenceLosses). A loss of this program (Register) has the names "NAME@VERSION" and "NAME".
// Unknown names are a *nearest.UnknownError.
func ParseLoss(name string) (Loss, error) {
	text := strings.TrimSpace(name)
	for _, l := range registered {
		if text == NameOf(l) || text == l.Name() {
			return l, nil
		}
	}
	return parseContrastive(text)
}

func parseContrastive(name string) (Contrastive, error) {
	text := strings.TrimSpace(name)
	if l, ok := referenceLosses()[text]; ok {
		return l, nil
	}
	form, rest, ok := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	separator := ","
	if ok != strings.HasSuffix(text, ")") {
		return Contrastive{}, unknownLoss(name)
	}
	if !ok {
		form, rest, ok = strings.Cut(text, ":")
		separator = "+"
	}
	if !ok || !Form(form).known() {
		return Contrastive{}, unknownLoss(name)
	}
	l := Contrastive{Form: Form(form)}
	for part := range strings.SplitSeq(rest, separator) {
		t := parseTerm(strings.TrimSpace(part))
		if t == 0 {
			return Contrastive{}, unknownLoss(name)
		}
		if l.Has(t) {
			return Contrastive{}, fmt.Errorf("loss %q names the term %s twice", name, t)
		}
		l.Terms |= t
	}
	return l, l.check()
}

// check returns an error for combinations without a formula.
func (l Contrastive) check() error {
	switch {
	case !l.Form.known(), l.Terms == 0, l.Terms&^allTerms != 0:
		return unknownLoss(l.String())
	case l.Form != Multi && l.Has(IP):
		return fmt.Errorf("loss %q: the term IP exists in the multi form only", l)
	case l.Has(ST) && !l.Has(P|I|IQ):
		return fmt.Errorf("loss %q: ST contains no positive pair, add P, I or IQ", l)
	}
	return nil
}

// parseTerm returns the term of that name, or 0 if there is none.
func parseTerm(name string) Term {
	for _, n := range termNames {
		if n.name == name {
			return n.term
		}
	}
	return 0
}

// unknownLoss returns the error for an unknown name. It lists the losses of the reference code,
// more than forty, if the name looks like one of these, else the losses of the paper. For a name
// without a bracket it lists names in the form that needs no quotes. A name with neither bracket
// nor colon may also be a custom loss, so the error mentions registration.
func unknownLoss(name string) error {
	if strings.ContainsRune(name, '/') {
		return nearest.Unknown("loss", name, slices.Sorted(maps.Keys(referenceLosses())))
	}
	written := PlainName
	if strings.ContainsAny(name, "()") {
		written = NameOf
	}
	known := make([]string, 0, 16)
	for _, l := range KnownLosses() {
		known = append(known, written(l))
	}
	err := nearest.Unknown("loss", name, known)
	if strings.ContainsAny(name, "():") {
		return err
	}
	return fmt.Errorf("%w; a custom loss works only in the program that registers it (docs/library.md)", err)
}
