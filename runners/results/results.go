// Package results defines the results of trials: per-query values, the trial folders that
// contain them, and the marker of a complete trial.
//
// Everything in a report is computed from these records; nothing here averages.
package results

import (
	"infbench/datasets"
)

// Result is one value of one query (or instruction pair). It is flat, so that any table is a
// late projection of a list of results.
type Result struct {
	Benchmark string        `json:"benchmark"`
	Task      string        `json:"task"`
	Query     string        `json:"query"` // query ID, or pair ID for measures of a pair
	Side      datasets.Side `json:"side,omitempty"`
	Measure   string        `json:"measure"`
	Value     *float64      `json:"value"` // nil: undefined for this query, never zero

	// Aggregate means that the value is a mean that was imported without the values of its
	// queries; Query is then empty.
	Aggregate bool `json:"aggregate,omitempty"`

	// Unranked means that the run has no ranking of the query, or of one query of the pair. The
	// value is that of an empty ranking.
	Unranked bool `json:"unranked,omitempty"`
}
