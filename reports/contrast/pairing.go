package contrast

import (
	"infbench/reports/scores"
)

// Pairing is two systems that differ in one choice; better is the side that a
// finding says is ahead.
type Pairing struct{ Better, Worse *scores.System }

// Across is how far the better sides of pairings, of which there are some, lie above
// the others: the mean over the pairings.
func Across(pairs []Pairing, on scores.Number) *Contrast {
	c := &Contrast{A: pairs[0].Worse, B: pairs[0].Better, On: on}
	for _, p := range pairs {
		c.include(p.Worse, -1/float64(len(pairs)))
		c.include(p.Better, 1/float64(len(pairs)))
	}
	return c
}

// include adds a system, or to its coefficient.
func (c *Contrast) include(s *scores.System, coefficient float64) {
	for i := range c.terms {
		if c.terms[i].system == s {
			c.terms[i].coefficient += coefficient
			return
		}
	}
	c.terms = append(c.terms, term{s, coefficient})
}
