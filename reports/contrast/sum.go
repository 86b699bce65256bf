package contrast

import (
	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// Term is a system with its coefficient in a sum.
type Term struct {
	System      *scores.System
	Coefficient float64
}

// Sum compares a weighted sum of systems with 0. There must be at least one term. The
// coefficients of a repeated system are added.
func Sum(on scores.Number, terms ...Term) *Contrast {
	c := &Contrast{On: on}
	for _, t := range terms {
		switch {
		case t.Coefficient > 0 && c.B == nil:
			c.B = t.System
		case t.Coefficient < 0 && c.A == nil:
			c.A = t.System
		}
		c.include(t)
	}
	return c
}

// include adds a system, or adds to its coefficient.
func (c *Contrast) include(t Term) {
	for i := range c.terms {
		if c.terms[i].System == t.System {
			c.terms[i].Coefficient += t.Coefficient
			return
		}
	}
	c.terms = append(c.terms, t)
}

// Given returns a contrast for a difference that was not estimated from values by query,
// with its hypothesis. It can join a family to be corrected, but not to be tested.
func Given(e stats.Estimate, zero, band float64) *Contrast {
	c := &Contrast{Zero: zero, Band: band}
	c.settle(e)
	c.fixed = c.P
	return c
}
