package runners

import (
	"math"
)

// okapiScorer is rank_bm25's BM25Okapi as in FollowIR: the candidates of a query are the
// complete collection, so document frequencies and average length are computed from them.
// Without candidates the collection is the corpus.
//
//	idf(t)  = ln(N - df + 0.5) - ln(df + 0.5); where that is negative, epsilon times the mean idf of all terms
//	w(t, d) = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * L(d) / avgdl)),  epsilon = 0.25
type okapiScorer struct {
	ix     *index
	params BM25Params
	all    []int32     // every document; nil if queries have candidates
	whole  *okapiStats // statistics of all
}

// okapiEpsilon is rank_bm25's default.
const okapiEpsilon = 0.25

// okapiStats are the statistics of a set of documents.
type okapiStats struct {
	n      float64
	avgdl  float64
	df     []int32 // by term number
	negIDF float64 // idf of terms with a negative idf
}

func newOkapiScorer(ix *index, p BM25Params, restricted bool) bm25Scorer {
	s := &okapiScorer{ix: ix, params: p}
	if !restricted {
		s.all = make([]int32, len(ix.ids))
		for doc := range s.all {
			s.all[doc] = int32(doc)
		}
		s.whole = s.stats(s.all)
	}
	return s
}

func (s *okapiScorer) stats(docs []int32) *okapiStats {
	st := &okapiStats{n: float64(len(docs)), df: make([]int32, len(s.ix.vocabulary))}
	total := 0.0
	for _, doc := range docs {
		total += float64(s.ix.lengths[doc])
		terms := s.ix.documents.Row(doc)
		for c := terms.Next(); c.Count > 0; c = terms.Next() {
			st.df[c.Other]++
		}
	}
	st.avgdl = total / st.n
	sum, distinct := 0.0, 0.0
	for _, df := range st.df {
		if df > 0 {
			sum += st.rawIDF(df)
			distinct++
		}
	}
	st.negIDF = okapiEpsilon * sum / distinct
	return st
}

func (st *okapiStats) rawIDF(df int32) float64 {
	return math.Log(st.n-float64(df)+0.5) - math.Log(float64(df)+0.5)
}

func (st *okapiStats) idf(df int32) float64 {
	if idf := st.rawIDF(df); idf >= 0 {
		return idf
	}
	return st.negIDF
}

func (s *okapiScorer) score(query []posting, docs []int32, sums []float64) {
	st := s.whole
	if st == nil {
		st = s.stats(docs)
	} else {
		docs = s.all
	}
	weights := make(map[int32]float64, len(query))
	for _, q := range query {
		if df := st.df[q.Other]; df > 0 {
			weights[q.Other] = float64(q.Count) * st.idf(df)
		}
	}
	k1, b := s.params.K1, s.params.B
	for _, doc := range docs {
		norm := k1 * (1 - b + b*float64(s.ix.lengths[doc])/st.avgdl)
		terms := s.ix.documents.Row(doc)
		for c := terms.Next(); c.Count > 0; c = terms.Next() {
			if w, ok := weights[c.Other]; ok {
				tf := float64(c.Count)
				sums[doc] += w * tf * (k1 + 1) / (tf + norm)
			}
		}
	}
}
