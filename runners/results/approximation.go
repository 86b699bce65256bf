package results

import (
	"fmt"
	"strings"
)

// Approximation describes a task's ranking by a server that does not compare all documents. It
// gives the recall against exact search on a sample of the queries.
type Approximation struct {
	Server     string     `json:"server"` // with its version
	Collection string     `json:"collection"`
	Task       string     `json:"task"`
	Documents  int        `json:"documents"`
	Queries    int        `json:"queries"` // queries that exact search also ranked
	Recall     []RecallAt `json:"recall"`
}

// RecallAt is the share of exact search's best K documents that are among the first K found,
// from 0 to 1: the mean over queries, and the lowest value of a query.
type RecallAt struct {
	K     int     `json:"k"`
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
}

// String describes the approximation in a sentence.
func (a Approximation) String() string {
	return fmt.Sprintf("%s: approximate: %s searched %d documents (collection %s) and found, compared with exact search, %s (%d queries)",
		a.Task, a.Server, a.Documents, a.Collection, Recalls(a.Recall), a.Queries)
}

// Recalls formats a list of recalls.
func Recalls(all []RecallAt) string {
	var parts []string
	for _, at := range all {
		parts = append(parts, fmt.Sprintf("recall@%d %.3f (least %.3f)", at.K, at.Mean, at.Least))
	}
	return strings.Join(parts, ", ")
}
