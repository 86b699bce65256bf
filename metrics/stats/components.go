package stats

import (
	"fmt"
)

// Components splits the variance of values over seeds and topics: a value is mean + seed +
// topic + rest, each part with its variance. Estimates below zero are cut to 0 and reported
// in Cut.
type Components struct {
	Seed, Topic, Interaction float64 // Interaction includes noise within a cell
	Cut                      bool
}

// SplitVariance estimates the components of values[seed][topic] by the method of moments for
// the two-way random-effects layout without replication (Searle, Casella and McCulloch 1992,
// section 4.3; Brennan's p × i design). It needs 2 seeds and 2 topics.
func SplitVariance(values [][]float64) (Components, error) {
	if err := checkScores(values, 2); err != nil {
		return Components{}, fmt.Errorf("split variance over seeds: %w", err)
	}
	s, t := float64(len(values)), float64(len(values[0]))
	w := newTwoWay(values)
	rest := w.residual / ((s - 1) * (t - 1))
	seed := (w.rows/(s-1) - rest) / t
	topic := (w.columns/(t-1) - rest) / s
	return Components{Seed: max(0, seed), Topic: max(0, topic), Interaction: rest, Cut: seed < 0 || topic < 0}, nil
}
