package results

import (
	"fmt"
	"strings"
)

// Approximation says that a task's ranking was found by a server that does not compare
// all documents, and how much of the exact search's it found, over a sample of the queries.
type Approximation struct {
	Server     string     `json:"server"` // with its version
	Collection string     `json:"collection"`
	Task       string     `json:"task"`
	Documents  int        `json:"documents"`
	Queries    int        `json:"queries"` // that the exact search ranked
	Recall     []RecallAt `json:"recall"`
}

// RecallAt is the share of the exact search's best K documents that are among the K first
// found, 0 to 1: its mean over queries, and that of the query with the least.
type RecallAt struct {
	K     int     `json:"k"`
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
}

// String is the approximation in a sentence.
func (a Approximation) String() string {
	return fmt.Sprintf("%s: approximate: %s searched %d documents (collection %s) and found, of what the exact search finds, %s (%d queries)",
		a.Task, a.Server, a.Documents, a.Collection, Recalls(a.Recall), a.Queries)
}

// Recalls are recalls in words.
func Recalls(all []RecallAt) string {
	var parts []string
	for _, at := range all {
		parts = append(parts, fmt.Sprintf("recall@%d %.3f (least %.3f)", at.K, at.Mean, at.Least))
	}
	return strings.Join(parts, ", ")
}
