package runners

import (
	"math"
)

// luceneScorer is Lucene 8.7's BM25Similarity in Lucene's arithmetic: float32, except the sum
// over the terms of a query.
//
// With N the number of documents that have any term, a term t that occurs count times in the
// query contributes to a document d
//
//	idf   = ln(1 + (N - df + 0.5) / (df + 0.5))
//	w     = count * idf
//	w - w / (1 + tf * norm(d)),  norm(d) = 1 / (k1 * ((1 - b) + b * L(d) / avgdl))
//
// where L is the length after stop words in Lucene's one-byte encoding and avgdl the mean of
// the true lengths.
type luceneScorer struct {
	ix    *index
	n     int
	norms []float32
}

func newLuceneScorer(ix *index, p BM25Params, _ bool) bm25Scorer {
	s := &luceneScorer{ix: ix, norms: make([]float32, len(ix.ids))}
	for _, length := range ix.lengths {
		if length > 0 {
			s.n++
		}
	}
	avgdl := float32(float64(ix.total) / float64(s.n))
	k1, b := float32(p.K1), float32(p.B)
	for doc, length := range ix.lengths {
		// The conversions keep the compiler from fusing operations: Lucene rounds each.
		share := float32(b*float32(luceneLength(length))) / avgdl
		s.norms[doc] = 1 / float32(k1*((1-b)+share))
	}
	return s
}

// luceneLength returns a length after Lucene's encoding in one byte (SmallFloat.intToByte4):
// exact below 40, above that 24 plus the four most significant bits of length - 24.
func luceneLength(length int32) int32 {
	const free = 24
	rest := length - free
	if rest < 16 {
		return length
	}
	shift := 0
	for rest>>shift >= 16 {
		shift++
	}
	return free + rest>>shift<<shift
}

func (s *luceneScorer) score(query []posting, _ []int32, sums []float64) {
	var some [256]posting
	for _, q := range query {
		df := float64(s.ix.frequency(q.Other))
		idf := float32(math.Log(1 + (float64(s.n)-df+0.5)/(df+0.5)))
		w := float32(q.Count) * idf
		row := s.ix.terms.Row(q.Other)
		for docs := row.Fill(some[:]); len(docs) > 0; docs = row.Fill(some[:]) {
			for _, d := range docs {
				x := 1 + float32(float32(d.Count)*s.norms[d.Other])
				sums[d.Other] += float64(w - w/x)
			}
		}
	}
}
