// Package stats decides whether a difference between retrieval systems is real: paired tests
// over topics, intervals, corrections for many comparisons, effect sizes, power, variance
// components and ranks that respect ties.
//
// It works on plain per-topic values, where the i-th of each slice belongs to the same topic,
// and knows nothing of runs or measures. Everything random takes a seed and uses one
// goroutine, so the same input gives the same number on any machine. A quantity that does not
// exist for the data is an undefined Number or Interval, or an error; it is never a zero or a
// NaN.
package stats
