package runners

// paddedScore is the score of a candidate without and with an additional zero vector.
type paddedScore struct {
	doc          int32
	count        int // number of its vectors
	plain, zeros float64
}

// pad records a candidate of a query: only when all have been seen is it known which get a zero
// vector. Candidates of one query are compared by one goroutine at a time.
func (s *lateSearch) pad(query int, doc int32, count int, plain float64, largest []float32) {
	zeros := 0.0
	for _, x := range largest {
		zeros += float64(max(x, 0))
	}
	s.padded[query] = append(s.padded[query], paddedScore{doc, count, plain, zeros})
}

// offerPadded ranks the recorded candidates.
func (s *lateSearch) offerPadded() {
	for query, candidates := range s.padded {
		longest := 0
		for _, c := range candidates {
			longest = max(longest, c.count)
		}
		for _, c := range candidates {
			score := c.plain
			if c.count < longest {
				score = c.zeros
			}
			s.targets[query].Offer(score, c.doc)
		}
	}
}
