// Package trec holds judgments (qrels) and rankings (runs) and reads and writes the TREC file
// formats exactly as trec_eval does.
//
// It does not know any measures; package metrics scores the data of this package.
package trec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Qrels holds graded relevance judgments: query ID -> document ID -> grade.
// A grade of 1 or more is relevant, 0 is judged not relevant, and a negative
// grade is "in the pool, not judged", as in trec_eval.
type Qrels map[string]map[string]int

// Scored is one retrieved document with its score.
type Scored struct {
	Doc   string
	Score float64
}

// Ranking is the result of a system for one query. Functions that read ranks expect it sorted
// by Sort.
type Ranking []Scored

// Run holds the rankings of one system: query ID -> ranking.
type Run map[string]Ranking

// WarnUnjudged returns a warning with the number of queries of a run for which judged is
// false, or "" if there are none; file and judgments are the names of the two files.
func (r Run) WarnUnjudged(file, judgments string, judged func(query string) bool) string {
	n := 0
	for query := range r {
		if !judged(query) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d queries have no judgments in %s and do not count", file, n, len(r), judgments)
}

// Has reports whether a query has judgments.
func (q Qrels) Has(query string) bool { return q[query] != nil }

// Sort orders r as trec_eval ranks: score descending, then document ID
// descending by bytes. Scores must not be NaN.
func (r Ranking) Sort() {
	for i := 1; i < len(r); i++ {
		if compare(r[i-1], r[i]) > 0 {
			slices.SortFunc(r, compare)
			return
		}
	}
}

// SortByArrival orders r by score descending and keeps ties in their present order, as mteb
// before 2.19.5 ranked for p-MRR.
func (r Ranking) SortByArrival() {
	slices.SortStableFunc(r, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
}

// compare is negative if a ranks above b.
func compare(a, b Scored) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return strings.Compare(b.Doc, a.Doc)
}
