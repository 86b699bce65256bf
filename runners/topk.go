package runners

import (
	"math"
	"slices"

	"infbench/metrics/trec"
)

// hit is one scored document, by its number in the corpus.
type hit struct {
	score float64
	doc   int32
}

// topK keeps the k best documents offered to it: score descending, then
// document ID descending by bytes. The result does not depend on the order of
// the offers, as long as no document is offered twice and no score is NaN.
//
// Documents gather in a buffer that is cut to the k best whenever it is full,
// so a document that cannot enter costs one comparison, one that can a few, and
// nothing is allocated per offer. (A binary heap took twice the time.)
type topK struct {
	ids      []string // document number -> ID
	excluded []int32  // sorted document numbers that never enter
	floor    float64  // scores below it cannot enter
	k        int
	hits     []hit
	capacity int
}

// newTopK returns an empty topK of k >= 1 documents.
func newTopK(k int, ids []string) *topK {
	t := &topK{ids: ids, k: k, capacity: topCapacity(k)}
	t.hits = make([]hit, 0, min(t.capacity, len(ids)))
	t.reset(nil)
	return t
}

// topCapacity is the number of hits that a topK of k documents holds at most.
func topCapacity(k int) int { return k + max(k, 64) }

// reset empties t and sets the documents to leave out.
func (t *topK) reset(excluded []int32) {
	t.hits, t.excluded, t.floor = t.hits[:0], excluded, math.Inf(-1)
}

// offer puts a document into t if it is among the k best so far.
func (t *topK) offer(score float64, doc int32) {
	if score < t.floor {
		return
	}
	t.insert(hit{score, doc})
}

func (t *topK) insert(h hit) {
	if len(t.excluded) > 0 {
		if _, found := slices.BinarySearch(t.excluded, h.doc); found {
			return
		}
	}
	if t.hits = append(t.hits, h); len(t.hits) == t.capacity {
		t.cut()
	}
}

// before says whether a ranks above b.
func (t *topK) before(a, b hit) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return t.ids[a.doc] > t.ids[b.doc]
}

// cut keeps the k best hits, in no particular order (Hoare's quickselect).
func (t *topK) cut() {
	if len(t.hits) <= t.k {
		return
	}
	h, last := t.hits, t.k-1
	for lo, hi := 0, len(h)-1; lo < hi; {
		pivot := t.median(h[lo], h[(lo+hi)/2], h[hi])
		i, j := lo, hi
		for i <= j {
			for t.before(h[i], pivot) {
				i++
			}
			for t.before(pivot, h[j]) {
				j--
			}
			if i <= j {
				h[i], h[j] = h[j], h[i]
				i++
				j--
			}
		}
		switch {
		case last <= j:
			hi = j
		case last >= i:
			lo = i
		default:
			lo = hi
		}
	}
	t.hits, t.floor = h[:t.k], h[last].score
}

func (t *topK) median(a, b, c hit) hit {
	if t.before(b, a) {
		a, b = b, a
	}
	if t.before(c, b) {
		if b = c; t.before(b, a) {
			b = a
		}
	}
	return b
}

// ranking returns what t holds, best first, and never nil: a query for which
// nothing was found has an empty ranking, not a missing one.
func (t *topK) ranking() trec.Ranking {
	t.cut()
	slices.SortFunc(t.hits, func(a, b hit) int {
		if t.before(a, b) {
			return -1
		}
		return 1
	})
	ranking := make(trec.Ranking, len(t.hits))
	for i, h := range t.hits {
		ranking[i] = trec.Scored{Doc: t.ids[h.doc], Score: h.score}
	}
	return ranking
}
