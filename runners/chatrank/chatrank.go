// Package chatrank lets language models order documents: one by one (judge and graded), two by two
// (pairwise), the best of several (setwise) or in windows (listwise). A Recipe has the texts of the
// questions and how answers are read.
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
	"infbench/internal/nearest"
)

// How is the way in which a model is asked.
type How string

// The ways.
const (
	Judge     How = "judge"     // about each document, by the log-odds of a token (Scale)
	Pointwise How = "pointwise" // infbench's own recipe for a judge
	Graded    How = "graded"    // about each document: a grade of 0 to 3
	Pairwise  How = "pairwise"  // which of two, in passes from the last document to the first
	Setwise   How = "setwise"   // the best of several, for the first documents by heap sort
	Listwise  How = "listwise"  // the order of a window that slides from the last to the first
)

// Ways lists the names of infbench's own recipes.
func Ways() []How { return []How{Pointwise, Graded, Pairwise, Listwise} }

// Or returns the way, or Pointwise if it is "".
func (h How) Or() How { return cmp.Or(h, Pointwise) }

// Options are the settings of questions. All except Parallel affect results.
type Options struct {
	Model  string  // its name at the endpoint, or another name
	How    How     // which of infbench's own recipes; "" means Pointwise, or the way of Recipe
	Recipe *Recipe // nil means infbench's own
	Window int     // documents in a window or a setwise question; 0 means the recipe's, else 20, as in RankGPT (arXiv 2304.09542)
	Step   int     // documents by which a window moves; 0 means the recipe's, else 10, likewise
	Orders int     // orders in which documents are given, whose answers are merged by Kemeny's rule, or by a vote for the best; 0 means 1. Permutation self-consistency (arXiv 2310.07712) uses 20
	Passes int     // passes of pairwise comparison; 0 means 10, as in PRP-Sliding-10 (arXiv 2306.17563)
	Bytes  int     // bytes of a document that the model sees; 0 means the recipe's, else 4000
	Tokens int     // maximum tokens of an answer with its thoughts; 0 means the recipe's, else enough for its form. A model that thinks first needs thousands
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
	if o.Recipe != nil && o.How != "" {
		return fmt.Errorf("how %s: recipe %s is asked in its own way, %s; leave out how", o.How, o.Recipe.Name, o.Recipe.How)
	}
	f := o.filled()
	lists := f.How == Listwise || f.How == Setwise
	switch {
	case o.Window < 0 || o.Step < 0 || o.Orders < 0 || o.Passes < 0 || o.Bytes < 0 || o.Tokens < 0 || o.Parallel < 0:
		return errors.New("window, step, orders, passes, bytes and tokens: a number is negative")
	case f.How == Listwise && (f.Window < 2 || f.Step > f.Window):
		return fmt.Errorf("window of %d with steps of %d: want a window of at least 2 and a step that skips none", f.Window, f.Step)
	case f.How == Setwise && (f.Window < 2 || f.Window > labels):
		return fmt.Errorf("window of %d: setwise asks for the best of 2 to %d documents", f.Window, labels)
	case f.How == Listwise && f.Orders > 1 && f.Window > mergedAtMost:
		return fmt.Errorf("window of %d: answers to several orders can be merged for at most %d documents", f.Window, mergedAtMost)
	case !lists && (o.Window != 0 || o.Step != 0 || o.Orders != 0):
		return fmt.Errorf("window, step and orders are for how: %s", Listwise)
	case f.How == Setwise && o.Step != 0:
		return fmt.Errorf("step is for how: %s", Listwise)
	case f.How != Pairwise && o.Passes != 0:
		return fmt.Errorf("passes are for how: %s", Pairwise)
	case f.Recipe.How == Judge && f.Recipe.Think.Budget > 0 && f.Tokens < 2:
		return fmt.Errorf("tokens %d: recipe %s thinks and answers by one more token; want 2 or more", f.Tokens, f.Recipe.Name)
	}
	return nil
}

// filled fills in the defaults.
func (o Options) filled() Options {
	if o.Recipe == nil {
		o.How = o.How.Or()
		o.Recipe = cmp.Or(ownRecipes()[o.How], ownRecipes()[Pointwise]) // Check returns an error for an unknown way
	} else if o.How == "" {
		o.How = o.Recipe.How
	}
	r := o.Recipe
	o.Window = cmp.Or(o.Window, r.Window, 20)
	o.Step, o.Passes = cmp.Or(o.Step, r.Step, min(10, o.Window)), cmp.Or(o.Passes, 10)
	o.Orders = cmp.Or(o.Orders, 1)
	o.Bytes, o.Tokens, o.Parallel = cmp.Or(o.Bytes, bytesPerToken*r.Length, 4000), cmp.Or(o.Tokens, r.tokens(o.Window)), cmp.Or(o.Parallel, 4)
	return o
}

// bytesPerToken estimates the length of a token: the tokenizers of endpoints are not available.
const bytesPerToken = 4

// labels is the maximum number of documents of a setwise question, as in Rank-R1 (arXiv 2503.06034).
const labels = 20

// Prompts is a hash of everything that the model is told besides the texts.
func (o Options) Prompts() string {
	r := o.filled().Recipe
	if r.former {
		return r.formerHash(o.Words)
	}
	return r.Hash()
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
	counts     Counts
	thoughts   []Thought
	verdicts   map[string]map[string]bool // by query and document: relevant
	shown      map[string]bool            // IDs of the documents
	addressing map[string]string          // documents that address the model, and by which pattern
	failure    error
}

// Counts are the numbers of verdicts, comparisons and windows by their answers.
type Counts struct {
	Answered int                // with a usable answer
	Failed   int                // without one
	Unusable map[chat.Class]int // the same by class
	// Usable answers in which something is missing:
	Cut        int // thoughts that reached their budget, and were closed after a sentence
	Unclosed   int // thoughts that ended without their end, and were closed likewise
	Bounded    int // log-odds that are bounds: one word was not among the likeliest tokens
	Incomplete int // orders with missing or repeated numbers
}

// Thought is what a model thought before an answer.
type Thought struct {
	Query     string
	Documents []string // IDs, in the order in which they were given
	Thoughts  string
	Answer    string
	Odds      *float64 // of a judge: the log-odds
}

// New returns a ranker that asks a model.
func New(a *chat.Asker, o Options) (*Ranker, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r := &Ranker{asker: a, opts: o.filled()}
	if r.opts.Recipe.InWords != "" && r.opts.Words {
		r.scale = Verdicts
	}
	r.Take()
	return r, nil
}

// Name is the name of the ranker in rows.
func (r *Ranker) Name() string {
	by := string(r.opts.How)
	if !r.opts.Recipe.former {
		by = r.opts.Recipe.Name
	}
	return "chat/" + r.opts.Model + "/" + by
}

// Usage counts the questions so far.
func (r *Ranker) Usage() chat.Usage { return r.asker.Usage() }

// Seen is a record of a ranker's questions and answers since the last call of Take.
type Seen struct {
	Verdicts   map[string]map[string]bool // for pointwise and graded answers, by query and document: relevant (a grade of 2 or 3)
	Documents  int                        // number of documents shown to the model
	Addressing map[string]string          // documents that seem to address the model, and by which pattern (chat.AddressesModel)
	Failure    error                      // the first error of an unusable answer
	Scale      Scale                      // of a judge's answers
	Thoughts   []Thought                  // by query, then documents
	Counts
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
	s := Seen{r.verdicts, len(r.shown), r.addressing, r.failure, r.scale, r.thoughts, r.counts}
	slices.SortFunc(s.Thoughts, func(a, b Thought) int {
		return cmp.Or(strings.Compare(a.Query, b.Query), slices.Compare(a.Documents, b.Documents))
	})
	r.counts, r.failure, r.thoughts = Counts{Unusable: map[chat.Class]int{}}, nil, nil
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
	switch r.opts.Recipe.How {
	case Pairwise:
		err = ask.pairwise(ctx, order)
	case Setwise:
		err = ask.setwise(ctx, order)
	case Listwise:
		err = ask.listwise(ctx, order)
	case Judge:
		return ask.judge(ctx, order, scores)
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
	if p := r.opts.Recipe.Passage; p != "" {
		if text = strings.TrimSpace(d.Text); d.Title != "" {
			text = strings.TrimSpace(fill(p, "{title}", d.Title, "{text}", d.Text))
		}
	}
	if len(text) > r.opts.Bytes {
		text = strings.ToValidUTF8(text[:r.opts.Bytes], "")
	}
	return text
}
