package main

import (
	"slices"
)

// spread is a median with its range.
type spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// spreadOf returns the spread of at least one value.
func spreadOf(values []float64) spread {
	return spread{Median: median(values), Least: slices.Min(values), Most: slices.Max(values)}
}

// median returns the middle of at least one value, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratioOf returns the ratio of the medians of two series measured in turn, with the range of
// the ratios of single turns; the ratio is within that range.
func ratioOf(ours, theirs []float64) spread {
	turns := make([]float64, min(len(ours), len(theirs)))
	for i := range turns {
		turns[i] = ours[i] / theirs[i]
	}
	s := spreadOf(turns)
	s.Median = median(ours) / median(theirs)
	return s
}
