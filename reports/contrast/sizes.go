package contrast

import (
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/scores"
)

// Sizes is the range of the numbers of tested pairs.
type Sizes struct{ least, most int }

// Add includes n in the range.
func (s *Sizes) Add(n int) {
	if s.most == 0 || n < s.least {
		s.least = n
	}
	s.most = max(s.most, n)
}

// Words formats the number of pairs, or its range.
func (s Sizes) Words() string {
	if s.least == s.most {
		return words.Group(s.most)
	}
	return words.Group(s.least) + " to " + words.Group(s.most)
}

// Unit names the items that n counts.
func Unit(c scores.Number) string {
	if metrics.IsOfPairs(c.Measure) {
		return "instruction pairs"
	}
	return "queries"
}
