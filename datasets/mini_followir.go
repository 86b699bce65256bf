package datasets

import (
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/internal/words"
)

// Documents on the topic of a pair: eight for each value of each facet that is held out for it. On
// other topics, as many again show a value that the original instruction asks for; the rest are
// drawn at random.
const (
	miniPerValue   = 8
	miniOtherTopic = 16
)

// miniContrast is the part of a pair that all slices of mini-followir share: the query, values and
// candidates. Slices thus differ only in their instructions.
type miniContrast struct {
	topic          int
	facet, a, b    int // the original accepts a or b, the change only a
	other, dropped int // the topic's other held-out facet, and a value of it
	query          string
	candidates     []string
}

// miniChange is a pair of instructions, with the relevant documents on the pair's topic before and
// after the change. moved are the documents that the change moves or, in the null slice, that a
// change of meaning would have moved.
type miniChange struct {
	original, changed    string
	before, after, moved func(*miniDocument) bool
}

// miniSlice is a task of mini-followir or mini-negation.
type miniSlice struct {
	name, notes string
	change      func(w miniWriter, slice string, pair int, c *miniContrast) miniChange
	control     bool
}

func miniSlices() []miniSlice {
	return []miniSlice{{
		name:   "headline",
		notes:  `"A or B" becomes "only A". One of the four words an instruction may use for a value is also one of the six that documents use.`, //plain:ok hashed into the revision
		change: narrow,
	}, {
		name:   "no-overlap",
		notes:  "As headline, but no word of an instruction other than stop words occurs in any document: matching words alone scores p-MRR 0.",
		change: narrowWithoutOverlap,
	}, {
		name:   sliceNegation,
		notes:  `"A or B" becomes "A but not B", or "A" becomes "A but not C", C of another facet. Training has no negation: expected to fail, since naming what is excluded pulls it up.`, //plain:ok hashed into the revision
		change: exclude,
	}, {
		name:    "null",
		notes:   `A control: "A or B" is said again in other words. Nothing changes in meaning, and p-MRR, on the documents that "only A" would have moved, must be about 0.`, //plain:ok hashed into the revision
		change:  reword,
		control: true,
	}}
}

// followIR makes the tasks of mini-followir: pairs of instructions as in FollowIR, with candidates
// to rank. Query IDs have the endings of mteb 2.
func (w *miniWorld) followIR() []Task { return w.pairs().tasks("mini-followir", miniSlices()) }

func pairScorings() []Scoring {
	return []Scoring{
		{"p-MRR", None},
		{"AP@1000", Original}, {"AP@1000", Changed},
		{"nDCG@5", Original}, {"nDCG@5", Changed},
	}
}

// drawCandidates draws the documents that the queries of a pair rank, sorted by ID.
func (c *miniContrast) drawCandidates(r *rand.Rand, docs []miniDocument) []string {
	var chosen, near, far []string
	for i := range docs {
		switch d := &docs[i]; {
		case d.topic == c.topic:
			chosen = append(chosen, d.ID)
		case d.shows(c.facet, c.a, c.b):
			near = append(near, d.ID)
		default:
			far = append(far, d.ID)
		}
	}
	chosen = append(chosen, deal(r, near)[:miniOtherTopic]...)
	chosen = append(chosen, deal(r, far)[:MiniCandidates-len(chosen)]...)
	slices.Sort(chosen)
	return chosen
}

// addPair adds the two queries of a contrast under the instructions of a change.
func (t *Task) addPair(id string, c *miniContrast, change miniChange, docs []miniDocument) {
	p := NewPair(id)
	before, after := map[string]int{}, map[string]int{}
	for i := range docs {
		d := &docs[i]
		if d.topic != c.topic {
			continue
		}
		before[d.ID], after[d.ID] = grade(change.before(d)), grade(change.after(d))
		if change.moved(d) {
			p.Moved = append(p.Moved, d.ID)
		}
	}
	t.Queries = append(t.Queries,
		Query{p.Original, c.query, change.original}, Query{p.Changed, c.query, change.changed})
	t.Qrels[p.Original], t.Qrels[p.Changed] = before, after
	t.Candidates[p.Original], t.Candidates[p.Changed] = c.candidates, c.candidates
	t.Pairs = append(t.Pairs, p)
}

func grade(relevant bool) int {
	if relevant {
		return 1
	}
	return 0
}

// narrow changes "A or B" to "only A".
func narrow(w miniWriter, _ string, _ int, c *miniContrast) miniChange {
	return c.narrow(w, w.valueWords(miniTrait{c.facet, c.a}, 2), w.valueWords(miniTrait{c.facet, c.b}, 2))
}

// narrowWithoutOverlap is like narrow, but avoids the words that documents also use.
func narrowWithoutOverlap(w miniWriter, _ string, _ int, c *miniContrast) miniChange {
	words := func(value int) []string { return deal(w.r, w.asksOf(miniTrait{c.facet, value})[1:])[:2] }
	return c.narrow(w, words(c.a), words(c.b))
}

func (c *miniContrast) narrow(w miniWriter, a, b []string) miniChange {
	p := w.phrase(c.facet)
	return c.loses(miniChange{
		original: p.either(words.AnyOf(joined(w.r, a, b))),
		changed:  p.only(words.AnyOf(a)),
	})
}

// reword writes "A or B" twice, with other words and in another sentence.
func reword(w miniWriter, _ string, _ int, c *miniContrast) miniChange {
	a, b := w.valueWords(miniTrait{c.facet, c.a}, 4), w.valueWords(miniTrait{c.facet, c.b}, 4)
	p, q := w.phrase(c.facet), w.phrase(c.facet)
	for q.pair == p.pair {
		q = w.phrase(c.facet)
	}
	change := c.loses(miniChange{
		original: p.either(words.AnyOf(joined(w.r, a[:2], b[:2]))),
		changed:  q.either(words.AnyOf(joined(w.r, a[2:], b[2:]))),
	})
	change.after = change.before
	return change
}

// joined concatenates two lists of words, in either order.
func joined(r *rand.Rand, a, b []string) []string {
	if r.IntN(2) == 0 {
		a, b = b, a
	}
	return slices.Concat(a, b)
}

// loses fills in the relevant documents of a change from "A or B" to A.
func (c *miniContrast) loses(change miniChange) miniChange {
	change.before = func(d *miniDocument) bool { return d.shows(c.facet, c.a, c.b) }
	change.after = func(d *miniDocument) bool { return d.shows(c.facet, c.a) }
	change.moved = func(d *miniDocument) bool { return d.shows(c.facet, c.b) }
	return change
}

// miniPhrase writes the instructions of a pair, except for the values that they list.
type miniPhrase struct {
	pair string // template of the sentence, without and with "only"
	item string
	ask  func(list string) string
}

func (w miniWriter) phrase(facet int) miniPhrase {
	n := w.r.IntN(miniAsks)
	return miniPhrase{
		pair: pick(w.r, w.templates["instruction pair test"]),
		item: pick(w.r, w.fillers["items"]),
		ask:  func(list string) string { return w.askList(miniTest, n, facet, list) },
	}
}

// either returns the sentence without "only", optionally with text after the ask.
func (p miniPhrase) either(list string, more ...string) string {
	template, _, _ := strings.Cut(p.pair, " | ")
	return instruction(template, p.item, "", p.ask(list)+strings.Join(more, ""))
}

// only returns the sentence with "only".
func (p miniPhrase) only(list string) string {
	_, template, _ := strings.Cut(p.pair, " | ")
	return instruction(template, p.item, "", p.ask(list))
}
