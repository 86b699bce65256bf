// Package trec holds judgments (qrels) and rankings (runs) and reads and writes
// the two TREC file formats exactly as trec_eval does.
//
// It knows nothing of measures; package metrics scores what this package holds.
package trec

// Qrels holds graded relevance judgments: query ID -> document ID -> grade.
// A grade of 1 or more is relevant, 0 is judged not relevant, and a negative
// grade is "in the pool, not judged", as in trec_eval.
type Qrels map[string]map[string]int

// Scored is one retrieved document with its score.
type Scored struct {
	Doc   string
	Score float64
}

// Ranking is what a system returned for one query. Functions that read ranks
// expect it sorted by Sort.
type Ranking []Scored

// Run holds the rankings of one system: query ID -> ranking.
type Run map[string]Ranking
