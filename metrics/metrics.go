// Package metrics scores rankings: one file a measure, each named as
// ir_measures names it and parsed back from that name ("nDCG@10", "AP(rel=2)").
//
// A measure turns one Case into one number. Summaries over queries are made
// late, from the per-query values, by Summarize. Grades, levels and defaults
// are trec_eval's unless a measure says otherwise.
package metrics

import (
	"infbench/metrics/suites"
	"infbench/metrics/trec"
)

// Case is all that is known of one query when it is scored.
type Case struct {
	Query     string
	Judgments map[string]int // document ID -> grade; nil if the query has no judgments
	Ranking   trec.Ranking   // sorted by trec.Ranking.Sort

	// Level is the grade from which a document counts as relevant for measures
	// that do not say so themselves ("AP(rel=2)" does); 0 means 1.
	Level int

	// Before is the ranking under the original instruction, Changed the
	// documents whose relevance the changed instruction altered. Both are nil
	// outside instruction pairs, where measures such as p-MRR do not apply.
	Before  trec.Ranking
	Changed []string

	// BeforeJudgments are the judgments under the original instruction, nil
	// where they are not known; Judgments are those under the changed one.
	BeforeJudgments map[string]int

	// Arrival and BeforeArrival are Ranking and Before sorted by
	// trec.Ranking.SortByArrival instead; nil where that order is not known.
	Arrival, BeforeArrival trec.Ranking

	// Reversed is the ranking under the reversed instruction (InfoSearch).
	Reversed trec.Ranking

	// Subtopics holds the judgments by aspect of the query: document ID ->
	// aspect -> grade; nil where there are none.
	Subtopics map[string]map[string]int

	// Quality holds a judge's 0 to 3 score of the ranking without and with the
	// instruction (IFIR); nil where there is none.
	Quality *Quality

	// Aspects are what an answer should cover, with weights that add up to 1
	// (suites.Normalise); nil where there are none.
	Aspects []Aspect

	// Documents is how many documents there were to rank; 0 where that is not known.
	Documents int

	// Pool has the judgments of all queries; nil where they are not known.
	Pool *Pool

	prepared *relevance
}

// Aspect is one thing that an answer to a query should cover.
type Aspect = suites.Aspect

// Quality is how well a judge finds that a ranking meets the user's need, each
// from 0 to 3.
type Quality struct{ Query, Instructed float64 }

// Prepare computes once what the measures share, so that scoring a case with
// many measures looks every document up once. It is optional; call it again
// after changing the case. Measures only read a case, prepared or not.
func (c *Case) Prepare() { c.prepared = relevanceOf(c) }

// Measure scores one query.
type Measure interface {
	// String is the canonical name; Parse(m.String()) yields an equal measure.
	String() string
	// Score returns the value in the measure's native range (p-MRR in (-1,1)).
	// ok is false where the measure is undefined for this case; an undefined
	// value is never a zero.
	Score(c *Case) (value float64, ok bool)
}
