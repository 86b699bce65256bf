package metrics

import (
	"cmp"
	"slices"
	"sync"
)

// Special values below the real grades, as in trec_eval.
const (
	notJudged = -1 // not in the judgments
	pooled    = -2 // in the pool, not judged: a negative grade in the file
)

// relevance holds the grades of a case, which is all that most measures read.
type relevance struct {
	grades []int            // by rank from 0: a grade, notJudged or pooled
	judged []int            // the grades of all judged documents, retrieved or not, descending
	level  int              // the case's level
	best   func() []float64 // interpolated precision at that level, which several measures read
}

// relevanceOf looks up the grade of every retrieved document of c.
func relevanceOf(c *Case) *relevance {
	r := &relevance{}
	r.fill(c)
	return r
}

// fill is relevanceOf, but reuses the memory of r.
func (r *relevance) fill(c *Case) {
	r.grades, r.judged = slices.Grow(r.grades[:0], len(c.Ranking)), slices.Grow(r.judged[:0], len(c.Judgments))
	var maybe sieve
	for doc, grade := range c.Judgments {
		maybe.add(doc)
		if grade >= 0 {
			r.judged = append(r.judged, grade)
		}
	}
	for i := range c.Ranking {
		doc, found := c.Ranking[i].Doc, notJudged
		if maybe.has(doc) {
			if grade, judged := c.Judgments[doc]; judged && grade < 0 {
				found = pooled
			} else if judged {
				found = grade
			}
		}
		r.grades = append(r.grades, found)
	}
	slices.SortFunc(r.judged, func(a, b int) int { return cmp.Compare(b, a) })
	r.level = c.level(0)
	r.best = sync.OnceValue(func() []float64 { return interpolated(r.grades, r.level) })
}

// relevance returns the case's grades; ok is false without judgments.
func (c *Case) relevance() (r *relevance, ok bool) {
	if c.Judgments == nil {
		return nil, false
	}
	if c.prepared != nil {
		return c.prepared, true
	}
	return relevanceOf(c), true
}

// level returns the grade from which a document counts as relevant: the measure's own if it has
// one, else the case's.
func (c *Case) level(own int) int {
	if own > 0 {
		return own
	}
	return max(c.Level, 1)
}

// top returns the grades of the first k retrieved documents, or all for k = 0.
func (r *relevance) top(k int) []int {
	if k > 0 && k < len(r.grades) {
		return r.grades[:k]
	}
	return r.grades
}

// relevant counts the documents judged at level or above, retrieved or not.
func (r *relevance) relevant(level int) int {
	n, _ := slices.BinarySearchFunc(r.judged, level, func(grade, level int) int {
		if grade >= level {
			return -1
		}
		return 1
	})
	return n
}

// hits counts the grades at level or above.
func hits(grades []int, level int) int {
	n := 0
	for _, g := range grades {
		if g >= level {
			n++
		}
	}
	return n
}

// ratio returns a/b, or 0 if b is 0: trec_eval's value for a query without relevant or retrieved
// documents.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
