package runners

import (
	"math"
)

// linearScorer is a BM25 whose score is an inner product of query weights and document weights,
// as in libraries that keep the index as a sparse matrix of float32 weights. Lengths are exact
// and
//
//	saturate(tf, L) = tf / (tf + k1 * (1 - b + b * L / avgdl)).
type linearScorer struct {
	ix      *index
	params  BM25Params
	lengths []int32
	avgdl   float64
	idf     func(n, df float64) float64
	// weight is the factor of the document weights for a term that occurs count times in a
	// query of length term occurrences.
	weight func(s *linearScorer, idf float64, count, length int32) float64
}

func newLinearScorer(ix *index, p BM25Params) *linearScorer {
	return &linearScorer{
		ix:      ix,
		params:  p,
		lengths: ix.lengths,
		avgdl:   float64(ix.total) / float64(len(ix.ids)),
	}
}

// newGensimScorer is gensim's LuceneBM25Model with SparseMatrixSimilarity and without
// normalisation, as in BRIGHT. Query terms have weights like those of a document, and terms
// that are not in the corpus do not count towards the query's length.
func newGensimScorer(ix *index, p BM25Params, _ bool) bm25Scorer {
	s := newLinearScorer(ix, p)
	s.idf = func(n, df float64) float64 { return math.Log(n+1) - math.Log(df+0.5) }
	s.weight = func(s *linearScorer, idf float64, count, length int32) float64 {
		return idf * s.saturate(count, length)
	}
	return s
}

// newBM25SScorer is bm25s with its defaults (method "lucene"), as in MAIR. For a query without
// any word MAIR's script searches for the word "none"; here such a query matches nothing.
func newBM25SScorer(ix *index, p BM25Params, _ bool) bm25Scorer {
	s := newLinearScorer(ix, p)
	s.idf = func(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }
	s.weight = func(_ *linearScorer, _ float64, count, _ int32) float64 { return float64(count) }
	return s
}

func (s *linearScorer) saturate(tf, length int32) float64 {
	t := float64(tf)
	return t / (t + s.params.K1*(1-s.params.B+s.params.B*float64(length)/s.avgdl))
}

func (s *linearScorer) score(query []posting, _ []int32, sums []float64) {
	length := int32(0)
	for _, q := range query {
		length += q.Count
	}
	var some [256]posting
	for _, q := range query {
		idf := s.idf(float64(len(s.lengths)), float64(s.ix.frequency(q.Other)))
		weight := float64(float32(s.weight(s, idf, q.Count, length)))
		row := s.ix.terms.Row(q.Other)
		for docs := row.Fill(some[:]); len(docs) > 0; docs = row.Fill(some[:]) {
			for _, d := range docs {
				sums[d.Other] += weight * float64(float32(idf*s.saturate(d.Count, s.lengths[d.Other])))
			}
		}
	}
}
