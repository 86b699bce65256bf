package runners

import "infbench/metrics/trec"

// scoreSums ranks by scores that are added up document by document, as with an inverted index.
// One goroutine uses it at a time.
type scoreSums struct {
	sums []float64 // document number -> score of the current query
	top  *TopK
}

// newScoreSums returns the sums for rankings of depth documents.
func newScoreSums(depth int, ids []string) *scoreSums {
	return &scoreSums{make([]float64, len(ids)), NewTopK(depth, ids)}
}

// Rank ranks the documents that query i may retrieve by value of their sums, to which add adds.
// If the scope is not restricted, documents whose sum is 0 are ranked only if all is set. The
// docs of add are the requested documents, including those of other shards, nil for all; add
// may add to other documents, too.
func (s *scoreSums) Rank(sc *Scope, i int, all bool, value func(sum float64) float64, add func(docs []int32, sums []float64)) trec.Ranking {
	clear(s.sums)
	if sc.Restricted {
		s.top.Reset(nil)
		add(sc.Pool(i), s.sums)
		for _, doc := range sc.Candidates[i] {
			s.top.Offer(value(s.sums[doc]), doc)
		}
		return s.top.Ranking()
	}
	s.top.Reset(sc.Excluded[i])
	add(nil, s.sums)
	for doc := sc.From; doc < sc.To; doc++ {
		if sum := s.sums[doc]; sum != 0 || all {
			s.top.Offer(value(sum), doc)
		}
	}
	return s.top.Ranking()
}
