// Package results holds what came out of trials: per-query values, the trial
// folders they live in, and the marker that says a trial is complete.
//
// Everything a report shows is computed from these records; nothing here
// averages.
package results

import (
	"infbench/datasets"
)

// Result is one value of one query (or instruction pair), flat so that any
// table is a projection made late.
type Result struct {
	Benchmark string        `json:"benchmark"`
	Task      string        `json:"task"`
	Query     string        `json:"query"` // query ID, or pair ID for measures of a pair
	Side      datasets.Side `json:"side,omitempty"`
	Measure   string        `json:"measure"`
	Value     *float64      `json:"value"` // nil: undefined for this query, never zero

	// Aggregate says that the value is a mean which was taken over from elsewhere
	// without the values of its queries; Query is then empty.
	Aggregate bool `json:"aggregate,omitempty"`

	// Unranked says that the run has no ranking of the query, or of one of the pair
	// that the measure reads: the value is that of an empty one.
	Unranked bool `json:"unranked,omitempty"`
}
