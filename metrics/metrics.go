// Package metrics scores rankings. There is one file per measure; each measure has its ir_measures
// name and is parsed from that name ("nDCG@10", "AP(rel=2)").
//
// A measure turns one Case into one number. Summarize computes summaries over queries last, from
// the per-query values. Grades, levels and defaults are trec_eval's unless a measure's
// documentation differs.
package metrics

import (
	"infbench/metrics/suites"
	"infbench/metrics/trec"
)

// Case is the data of one query when it is scored.
type Case struct {
	Query     string
	Judgments map[string]int // document ID -> grade; nil if the query has no judgments
	Ranking   trec.Ranking   // sorted by trec.Ranking.Sort

	// Level is the grade from which a document counts as relevant, for measures without their own
	// ("AP(rel=2)" has one); 0 means 1.
	Level int

	// Before is the ranking under the original instruction; Changed lists the documents whose
	// relevance the changed instruction altered. Both are nil outside instruction pairs, where
	// measures such as p-MRR do not apply.
	Before  trec.Ranking
	Changed []string

	// BeforeJudgments are the judgments under the original instruction, nil if unknown; Judgments
	// are then those under the changed one.
	BeforeJudgments map[string]int

	// Arrival and BeforeArrival are Ranking and Before sorted by trec.Ranking.SortByArrival
	// instead; nil if that order is unknown.
	Arrival, BeforeArrival trec.Ranking

	// Reversed is the ranking under the reversed instruction (InfoSearch).
	Reversed trec.Ranking

	// Subtopics holds the judgments per aspect of the query: document ID -> aspect -> grade; may be
	// nil.
	Subtopics map[string]map[string]int

	// Quality has the scores, from 0 to 3, that a judge gave to the rankings without and with
	// the instruction (IFIR); may be nil.
	Quality *Quality

	// Aspects are the points that an answer should cover, with weights that add up to 1
	// (suites.Normalise); may be nil.
	Aspects []Aspect

	// Documents is the number of documents in the corpus; 0 if unknown.
	Documents int

	// Pool has the judgments of all queries; nil if unknown.
	Pool *Pool

	prepared *relevance
}

// Aspect is one point that an answer to a query should cover.
type Aspect = suites.Aspect

// Quality is a judge's rating of how well a ranking meets the user's need, each from 0 to 3.
type Quality struct{ Query, Instructed float64 }

// Prepare computes the data that measures share, so that scoring a case with many measures looks up
// every document once. It is optional; call it again after changing the case. Measures never modify
// a case.
func (c *Case) Prepare() { c.prepared = relevanceOf(c) }

// Measure scores one query.
type Measure interface {
	// String is the canonical name; Parse(m.String()) yields an equal measure.
	String() string
	// Score returns the value in the measure's native range (p-MRR in (-1,1)). ok is false if the
	// measure is undefined for this case; an undefined value is never reported as 0.
	Score(c *Case) (value float64, ok bool)
}
