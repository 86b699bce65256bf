package runners

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Baseline ranks without reading texts. It shows the value of a measure for chance or for the
// order of the data.
type Baseline struct {
	name  string
	score func(query string, doc int32, id string) float64
}

var _ Retriever = (*Baseline)(nil)

// NewBaseline returns a baseline with a name. score computes the score of a document from the
// query's ID, the document's number in the corpus and its ID.
func NewBaseline(name string, score func(query string, doc int32, id string) float64) *Baseline {
	return &Baseline{name, score}
}

// NewRandom returns the baseline "random": the score of each document is a number in [0, 1)
// that depends only on the seed, the query ID and the document ID. Adding a document or a query
// changes no other score.
func NewRandom(seed uint64) *Baseline {
	return NewBaseline("random", func(query string, _ int32, id string) float64 {
		return uniform(seed, query, id)
	})
}

// NewConstant returns the baseline "constant": every document scores 0, so the ranking follows
// the rule for ties, document ID descending by bytes.
func NewConstant() *Baseline {
	return NewBaseline("constant", func(string, int32, string) float64 { return 0 })
}

// NewDocumentOrder returns the baseline "document-order": documents rank in the order of the
// corpus. A result above chance shows that the order of the corpus reveals relevance.
func NewDocumentOrder() *Baseline {
	return NewBaseline("document-order", func(_ string, doc int32, _ string) float64 { return -float64(doc) })
}

// Name returns the name of the baseline, such as "random".
func (b *Baseline) Name() string { return b.name }

// Retrieve ranks every document that a query may retrieve.
func (b *Baseline) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	sc, err := OpenScope(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	rankings := make([]trec.Ranking, len(task.Queries))
	err = ForEach(ctx, Workers(), len(task.Queries), func(_, i int) error {
		top := sc.Top(i, depth)
		sc.Each(i, func(doc int32) { top.Offer(b.score(task.Queries[i].ID, doc, sc.IDs[doc]), doc) })
		rankings[i] = top.Ranking()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("task %s: %s: %w", task.Name, b.name, err)
	}
	return sc.Run(rankings), nil
}

// uniform hashes its arguments to a number in [0, 1): FNV-1a over the bytes,
// then the finalizer of SplitMix64, whose output bits all depend on all input
// bits.
func uniform(seed uint64, query, doc string) float64 {
	h := uint64(0xcbf29ce484222325)
	add := func(b byte) { h = (h ^ uint64(b)) * 0x100000001b3 }
	for i := range 8 {
		add(byte(seed >> (8 * i)))
	}
	for i := range len(query) {
		add(query[i])
	}
	add(0xff) // never part of UTF-8, so that ("a", "bc") and ("ab", "c") differ
	for i := range len(doc) {
		add(doc[i])
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	return float64(h>>11) / (1 << 53)
}
