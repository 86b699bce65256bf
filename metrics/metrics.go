// Package metrics scores rankings: one file a measure, each named as
// ir_measures names it and parsed back from that name ("nDCG@10", "AP(rel=2)").
//
// A measure turns one Case into one number. Averages over queries are made
// late, from the per-query values, by whoever shows them.
package metrics

import "infbench/metrics/trec"

// Case is all that is known of one query when it is scored.
type Case struct {
	Query     string
	Judgments map[string]int // document ID -> grade; nil if the query has no judgments
	Ranking   trec.Ranking   // sorted by trec.Ranking.Sort

	// Before is the ranking under the original instruction, Changed the
	// documents whose relevance the changed instruction altered. Both are nil
	// outside instruction pairs, where measures such as p-MRR do not apply.
	Before  trec.Ranking
	Changed []string
}

// Measure scores one query.
type Measure interface {
	// String is the canonical name; Parse(m.String()) yields an equal measure.
	String() string
	// Score returns the value in the measure's native range (p-MRR in (-1,1)).
	// ok is false where the measure is undefined for this case; an undefined
	// value is never a zero.
	Score(c *Case) (value float64, ok bool)
}
