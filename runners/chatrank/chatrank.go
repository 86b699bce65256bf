// Package chatrank has language models order documents: one by one (pointwise and
// graded), two by two (pairwise) or in windows (listwise). It writes the prompts and reads
// the answers; how a model is reached, what that costs and what is kept of it is for
// package datasets/chat. Its rankers are runners.Reranker by shape.
package chatrank

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infbench/datasets"
	"infbench/datasets/chat"
	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// How is in what portions a model is asked.
type How string

// The ways.
const (
	Pointwise How = "pointwise" // of each document: relevant or not
	Graded    How = "graded"    // of each document: a grade of 0 to 3
	Pairwise  How = "pairwise"  // which of two, in passes from the last document to the first
	Listwise  How = "listwise"  // the order of a window that slides from the last to the first
)

// Ways lists the names.
func Ways() []How { return []How{Pointwise, Graded, Pairwise, Listwise} }

// Or is the way, Pointwise where none is named.
func (h How) Or() How { return cmp.Or(h, Pointwise) }

// Options say how a model is asked. All of them but Parallel have a say in the numbers.
type Options struct {
	Model  string // as the endpoint knows it, or what it is called
	How    How    // "" is Pointwise
	Window int    // documents of a window; 0 is 20, as RankGPT has it (arXiv 2304.09542)
	Step   int    // documents that a window moves by; 0 is 10, likewise
	Orders int    // in which a window is given, whose answers are merged by Kemeny's rule; 0 is 1. Permutation self-consistency (arXiv 2310.07712) takes 20
	Passes int    // of pairwise comparison; 0 is 10, as in PRP-Sliding-10 (arXiv 2306.17563)
	Bytes  int    // of a document that the model sees; 0 is 4000
	Tokens int    // that an answer may have; 0 is what its form takes. A model that thinks first needs thousands
	// Ordered says that documents come in an order that means something, of a first
	// stage. Else the order that the model's is put upon is that of a hash of the IDs: no
	// order of a file may tell what is relevant.
	Ordered bool

	Parallel int // questions at a time; 0 is 4
}

// Check finds what is out of range.
func (o *Options) Check() error {
	if err := nearest.OneOf("way of asking", o.How, Ways()...); err != nil {
		return err
	}
	f := o.filled()
	switch {
	case o.Window < 0 || o.Step < 0 || o.Orders < 0 || o.Passes < 0 || o.Bytes < 0 || o.Tokens < 0 || o.Parallel < 0:
		return errors.New("window, step, orders, passes, bytes and tokens: a number is negative")
	case f.How == Listwise && (f.Window < 2 || f.Step > f.Window):
		return fmt.Errorf("window of %d with steps of %d: want a window of at least 2 and a step that skips none", f.Window, f.Step)
	case f.Orders > 1 && f.Window > mergedAtMost:
		return fmt.Errorf("window of %d: answers to several orders are merged for %d documents at most", f.Window, mergedAtMost)
	case o.How != Listwise && (o.Window != 0 || o.Step != 0 || o.Orders != 0):
		return fmt.Errorf("window, step and orders are of how: %s", Listwise)
	case o.How != Pairwise && o.Passes != 0:
		return fmt.Errorf("passes are of how: %s", Pairwise)
	}
	return nil
}

// filled has the defaults in place.
func (o Options) filled() Options {
	o.How = o.How.Or()
	o.Window, o.Step, o.Passes = cmp.Or(o.Window, 20), cmp.Or(o.Step, min(10, cmp.Or(o.Window, 20))), cmp.Or(o.Passes, 10)
	o.Orders = cmp.Or(o.Orders, 1)
	o.Bytes, o.Tokens, o.Parallel = cmp.Or(o.Bytes, 4000), cmp.Or(o.Tokens, tokensOf(o.How, o.Window)), cmp.Or(o.Parallel, 4)
	return o
}

// Prompts is a hash of all that is said to the model beside the texts.
func (o Options) Prompts() string {
	o = o.filled()
	return disk.Sum(strings.Join([]string{systemOf(o.How), o.question(), string(o.schema())}, "\x00"))[:12]
}

// Fingerprint names what determines the rankings, the answers of the model aside.
func (o Options) Fingerprint() string {
	o = o.filled()
	orders := ""
	if o.Orders > 1 { // before there were several, nothing was said of them
		orders = fmt.Sprint(" orders ", o.Orders)
	}
	return fmt.Sprint(o.Model, "\n", o.How, " ", o.Window, " ", o.Step, " ", o.Passes, " ", o.Bytes, " ", o.Tokens, " ", o.Ordered, orders, "\n", o.Prompts())
}

// Ranker orders documents as a model says, at temperature 0. Where two are equal to it,
// the order that they came in stays (Options.Ordered). An answer that was given but cannot
// be used (chat.Class.Said) is counted and leaves things as they were: the document
// counts as not relevant, a pair or window keeps its order. Every other failure ends the
// ranking, since a later one may be answered.
type Ranker struct {
	asker *chat.Asker
	opts  Options

	mu         sync.Mutex
	verdicts   map[string]map[string]bool // by query and document: relevant
	shown      map[string]bool            // documents
	addressing map[string]string          // documents that address the model, and how
	answered   int
	failed     int
	failure    error
}

// New returns a ranker that asks a model.
func New(a *chat.Asker, o Options) (*Ranker, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &Ranker{asker: a, opts: o.filled()}
	r.Take()
	return r, nil
}

// Name is what rows call it.
func (r *Ranker) Name() string { return "chat/" + r.opts.Model + "/" + string(r.opts.How) }

// Usage is what was asked so far.
func (r *Ranker) Usage() chat.Usage { return r.asker.Usage() }

// Seen is what a ranker saw and said since it was last asked.
type Seen struct {
	Verdicts   map[string]map[string]bool // by query and document, of pointwise and graded answers: relevant (a grade of 2 or 3)
	Documents  int                        // that the model was shown
	Addressing map[string]string          // documents that seem to address the model, and by which pattern (chat.AddressesModel)
	Answered   int                        // questions with an answer that could be used
	Failed     int                        // questions with an answer that could not
	Failure    error                      // the first of those
}

// Err is an error where questions were asked and no answer could be used: the order is then
// the one that the documents came in, which is not a result of the model.
func (s *Seen) Err() error {
	if s.Answered > 0 || s.Failed == 0 {
		return nil
	}
	return fmt.Errorf("no answer to %d questions can be used; the first: %w", s.Failed, s.Failure)
}

// Take returns what was seen since the last call: call it after each task.
func (r *Ranker) Take() Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Seen{r.verdicts, len(r.shown), r.addressing, r.answered, r.failed, r.failure}
	r.answered, r.failed, r.failure = 0, 0, nil
	r.verdicts, r.shown, r.addressing = map[string]map[string]bool{}, map[string]bool{}, map[string]string{}
	return s
}

// Rerank scores documents against a query: the higher the earlier.
func (r *Ranker) Rerank(ctx context.Context, q datasets.Query, docs []datasets.Document, scores []float64) error {
	if len(docs) == 0 {
		return nil
	}
	order := r.start(q, docs)
	r.look(docs)
	ask := &asking{Ranker: r, query: q, docs: docs}
	var err error
	switch r.opts.How {
	case Pairwise:
		err = ask.pairwise(ctx, order)
	case Listwise:
		err = ask.listwise(ctx, order)
	default:
		return ask.pointwise(ctx, order, scores)
	}
	for place, doc := range order {
		scores[doc] = float64(len(docs) - place)
	}
	return err
}

// start is the order that the model's is put upon, as indices of docs.
func (r *Ranker) start(q datasets.Query, docs []datasets.Document) []int {
	order := make([]int, len(docs))
	for i := range order {
		order[i] = i
	}
	if !r.opts.Ordered {
		key := func(i int) string {
			sum := sha256.Sum256([]byte(q.ID + "\x00" + docs[i].ID))
			return string(sum[:])
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	return order
}

// look notes what documents the model is shown, and which of them address it.
func (r *Ranker) look(docs []datasets.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range docs {
		if r.shown[d.ID] {
			continue
		}
		r.shown[d.ID] = true
		if how := chat.AddressesModel(r.text(d)); how != "" {
			r.addressing[d.ID] = how
		}
	}
}

// text is what the model sees of a document.
func (r *Ranker) text(d datasets.Document) string {
	text := strings.TrimSpace(d.Title + "\n" + d.Text)
	if len(text) > r.opts.Bytes {
		text = strings.ToValidUTF8(text[:r.opts.Bytes], "")
	}
	return text
}
