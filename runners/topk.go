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

// TopK keeps the k best documents offered to it: by score descending, then document ID
// descending by bytes. The result does not depend on the order of the offers, as long as no
// document is offered twice and no score is NaN.
//
// Documents collect in a buffer that is cut to the k best whenever it is full. So a document
// that cannot enter costs one comparison, one that can costs a few, and an offer allocates
// nothing. (A binary heap took twice the time.)
type TopK struct {
	ids      []string // document number -> ID
	excluded []int32  // sorted document numbers that never enter
	floor    float64  // scores below it cannot enter
	k        int
	hits     []hit
	capacity int
}

// NewTopK returns an empty TopK of k >= 1 documents.
func NewTopK(k int, ids []string) *TopK {
	t := &TopK{ids: ids, k: k, capacity: topKCapacity(k)}
	t.hits = make([]hit, 0, min(t.capacity, len(ids)))
	t.Reset(nil)
	return t
}

// topKCapacity is the maximum number of hits in a TopK of k documents.
func topKCapacity(k int) int { return k + max(k, 64) }

// Reset empties t and sets the documents to leave out.
func (t *TopK) Reset(excluded []int32) {
	t.hits, t.excluded, t.floor = t.hits[:0], excluded, math.Inf(-1)
}

// Floor is the score below which no document enters.
func (t *TopK) Floor() float64 { return t.floor }

// Offer puts a document into t if it is one of the k best so far.
func (t *TopK) Offer(score float64, doc int32) {
	if score < t.floor {
		return
	}
	t.insert(hit{score, doc})
}

func (t *TopK) insert(h hit) {
	if len(t.excluded) > 0 {
		if _, found := slices.BinarySearch(t.excluded, h.doc); found {
			return
		}
	}
	if t.hits = append(t.hits, h); len(t.hits) == t.capacity {
		t.cut()
	}
}

// before reports whether a ranks above b.
func (t *TopK) before(a, b hit) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return t.ids[a.doc] > t.ids[b.doc]
}

// cut keeps the k best hits, in no particular order (Hoare's quickselect).
func (t *TopK) cut() {
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

func (t *TopK) median(a, b, c hit) hit {
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

// Ranking returns the documents of t, best first, and never nil: a query without any result has
// an empty ranking, not a missing one.
func (t *TopK) Ranking() trec.Ranking {
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
