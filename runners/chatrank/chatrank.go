// Package chatrank lets language models order documents: one by one (pointwise and graded), two
// by two (pairwise) or in windows (listwise). It writes the prompts and reads the answers.
// Package datasets/chat connects to models, counts costs and keeps answers. The rankers
// implement runners.Reranker.
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

// How is the way in which a model is asked.
type How string

// The ways.
const (
	Pointwise How = "pointwise" // about each document: relevant or not (Scale)
	Graded    How = "graded"    // about each document: a grade of 0 to 3
	Pairwise  How = "pairwise"  // which of two, in passes from the last document to the first
	Listwise  How = "listwise"  // the order of a window that slides from the last to the first
)

// Ways lists the names.
func Ways() []How { return []How{Pointwise, Graded, Pairwise, Listwise} }

// Or returns the way, or Pointwise if it is "".
func (h How) Or() How { return cmp.Or(h, Pointwise) }

// Options are the settings of questions. All except Parallel affect results.
type Options struct {
	Model  string // its name at the endpoint, or another name
	How    How    // "" means Pointwise
	Window int    // documents in a window; 0 means 20, as in RankGPT (arXiv 2304.09542)
	Step   int    // documents by which a window moves; 0 means 10, likewise
	Orders int    // orders in which a window is given, whose answers are merged by Kemeny's rule; 0 means 1. Permutation self-consistency (arXiv 2310.07712) uses 20
	Passes int    // passes of pairwise comparison; 0 means 10, as in PRP-Sliding-10 (arXiv 2306.17563)
	Bytes  int    // bytes of a document that the model sees; 0 means 4000
	Tokens int    // maximum tokens of an answer; 0 means enough for its form. A model that thinks first needs thousands
	// Words means that pointwise questions are answered in words, also by an endpoint that gives
	// log-probabilities: a model that thinks first does not begin with its verdict.
	Words bool
	// Ordered means that documents come in the meaningful order of a first stage. Otherwise the
	// initial order is that of a hash of the IDs, so that the order of a file cannot reveal
	// relevance.
	Ordered bool

	Parallel int // questions at a time; 0 means 4
}

// Check returns an error for values out of range.
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
		return fmt.Errorf("window of %d: answers to several orders can be merged for at most %d documents", f.Window, mergedAtMost)
	case o.How != Listwise && (o.Window != 0 || o.Step != 0 || o.Orders != 0):
		return fmt.Errorf("window, step and orders are for how: %s", Listwise)
	case o.How != Pairwise && o.Passes != 0:
		return fmt.Errorf("passes are for how: %s", Pairwise)
	}
	return nil
}

// filled fills in the defaults.
func (o Options) filled() Options {
	o.How = o.How.Or()
	o.Window, o.Step, o.Passes = cmp.Or(o.Window, 20), cmp.Or(o.Step, min(10, cmp.Or(o.Window, 20))), cmp.Or(o.Passes, 10)
	o.Orders = cmp.Or(o.Orders, 1)
	o.Bytes, o.Tokens, o.Parallel = cmp.Or(o.Bytes, 4000), cmp.Or(o.Tokens, tokensOf(o.How, o.Window)), cmp.Or(o.Parallel, 4)
	return o
}

// Prompts is a hash of everything that the model is told besides the texts.
func (o Options) Prompts() string {
	o = o.filled()
	told := []string{systemOf(o.How), o.question(), string(o.schema())}
	if o.How == Pointwise && !o.Words {
		told = append(told, oneWord)
	}
	return disk.Sum(strings.Join(told, "\x00"))[:12]
}

// Fingerprint contains everything that determines the rankings except the model's answers.
func (o Options) Fingerprint() string {
	o = o.filled()
	orders := ""
	if o.Orders > 1 { // the fingerprints of single orders must not change
		orders = fmt.Sprint(" orders ", o.Orders)
	}
	return fmt.Sprint(o.Model, "\n", o.How, " ", o.Window, " ", o.Step, " ", o.Passes, " ", o.Bytes, " ", o.Tokens, " ", o.Ordered, orders, "\n", o.Prompts())
}

// Ranker orders documents by a model at temperature 0. Documents that are equal to the model
// keep their order (Options.Ordered). An answer that cannot be used (chat.Class.Said) is
// counted and changes nothing: the document counts as not relevant or has log-odds 0, and a pair
// or window keeps its order. Any other failure ends the ranking, since a later attempt may be
// answered.
type Ranker struct {
	asker *chat.Asker
	opts  Options

	deciding sync.Mutex // held until the scale is known

	mu         sync.Mutex
	scale      Scale
	bounded    int
	verdicts   map[string]map[string]bool // by query and document: relevant
	shown      map[string]bool            // IDs of the documents
	addressing map[string]string          // documents that address the model, and by which pattern
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
	if r.opts.How == Pointwise && r.opts.Words {
		r.scale = Verdicts
	}
	r.Take()
	return r, nil
}

// Name is the name of the ranker in rows.
func (r *Ranker) Name() string { return "chat/" + r.opts.Model + "/" + string(r.opts.How) }

// Usage counts the questions so far.
func (r *Ranker) Usage() chat.Usage { return r.asker.Usage() }

// Seen is a record of a ranker's questions and answers since the last call of Take.
type Seen struct {
	Verdicts   map[string]map[string]bool // for pointwise and graded answers, by query and document: relevant (a grade of 2 or 3)
	Documents  int                        // number of documents shown to the model
	Addressing map[string]string          // documents that seem to address the model, and by which pattern (chat.AddressesModel)
	Answered   int                        // questions with a usable answer
	Failed     int                        // questions with an unusable answer
	Failure    error                      // the first error of those
	Scale      Scale                      // of pointwise answers
	Bounded    int                        // log-odds that are bounds: one word was not among the likeliest tokens
}

// Err returns an error if questions were asked but no answer could be used: then the order is
// the initial one, which is not a result of the model.
func (s *Seen) Err() error {
	if s.Answered > 0 || s.Failed == 0 {
		return nil
	}
	return fmt.Errorf("no answer to %d questions can be used; the first: %w", s.Failed, s.Failure)
}

// Take returns the record since the last call. Call it after each task.
func (r *Ranker) Take() Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Seen{r.verdicts, len(r.shown), r.addressing, r.answered, r.failed, r.failure, r.scale, r.bounded}
	r.answered, r.failed, r.failure, r.bounded = 0, 0, nil, 0
	r.verdicts, r.shown, r.addressing = map[string]map[string]bool{}, map[string]bool{}, map[string]string{}
	return s
}

// Rerank scores documents against a query; higher scores rank earlier.
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
	case Pointwise:
		return ask.pointwise(ctx, order, scores)
	default:
		return ask.graded(ctx, order, scores)
	}
	for place, doc := range order {
		scores[doc] = float64(len(docs) - place)
	}
	return err
}

// start is the initial order, as indices of docs.
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

// look records the documents shown to the model, and which of them address it.
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

// text is the part of a document that the model sees.
func (r *Ranker) text(d datasets.Document) string {
	text := strings.TrimSpace(d.Title + "\n" + d.Text)
	if len(text) > r.opts.Bytes {
		text = strings.ToValidUTF8(text[:r.opts.Bytes], "")
	}
	return text
}
