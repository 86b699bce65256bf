package runners

import (
	"testing"
)

// BenchmarkPerPosting adds up the same postings for the same queries, once like BM25's scorer
// and once like the weights of a sparse model.
func BenchmarkPerPosting(b *testing.B) {
	task := generated(50_000, 200)
	ix, err := buildIndex(b.Context(), task, knownBM25()[0])
	if err != nil {
		b.Fatal(err)
	}
	weights := newPostingWeights()
	weights.Grow(len(ix.vocabulary))
	for term := range int32(len(ix.vocabulary)) {
		docs := ix.terms.Row(term)
		for d := docs.Next(); d.Count > 0; d = docs.Next() {
			weights.Add(term, d.Other, float32(d.Count)/7)
		}
	}
	counter := newCounter(knownBM25()[0].analyzer())
	var queries [][]posting
	read := 0
	for _, q := range task.Queries {
		terms := ix.query(counter, q.Text)
		queries = append(queries, terms)
		for _, t := range terms {
			read += ix.terms.Len(t.Other)
		}
	}
	sums := make([]float64, len(ix.ids))
	scorer := newLuceneScorer(ix, BM25Params{0.9, 0.4}, false)
	for _, c := range []struct {
		name string
		add  func(query []posting)
	}{
		{"bm25", func(query []posting) { scorer.score(query, nil, sums) }},
		{"sparse", func(query []posting) {
			for _, t := range query {
				weights.AddTo(t.Other, float64(t.Count), sums)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, query := range queries {
					c.add(query)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(read), "ns/posting")
		})
	}
}
