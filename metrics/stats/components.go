package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Components splits the variance of values over seeds and topics: a value is
// mean + seed + topic + rest, each with its variance. Estimates below zero are
// cut to 0, and Cut says so.
type Components struct {
	Seeds, Topics            int
	Mean                     float64
	Seed, Topic, Interaction float64 // variances; Interaction includes noise within a cell
	Cut                      bool
}

// SplitVariance estimates the components of values[seed][topic] by the method
// of moments of the two-way random-effects layout without replication (Searle,
// Casella and McCulloch 1992, section 4.3; Brennan's p × i design). Give it one
// system's values, or the differences of two systems for the error of their
// comparison. It needs 2 seeds and 2 topics.
func SplitVariance(values [][]float64) (Components, error) {
	if err := checkScores(values, 2); err != nil {
		return Components{}, fmt.Errorf("split variance over seeds: %w", err)
	}
	s, t := float64(len(values)), float64(len(values[0]))
	w := newTwoWay(values)
	rest := w.residual / ((s - 1) * (t - 1))
	seed := (w.rows/(s-1) - rest) / t
	topic := (w.columns/(t-1) - rest) / s
	c := Components{
		Seeds: int(s), Topics: int(t),
		Seed: max(0, seed), Topic: max(0, topic), Interaction: rest,
		Cut: seed < 0 || topic < 0,
	}
	for _, row := range values {
		c.Mean += stat.Mean(row, nil) / s
	}
	return c, nil
}

// StandardError of the mean over a number of seeds and topics (1 or more each),
// which need not be those the components were estimated from.
func (c Components) StandardError(seeds, topics int) float64 {
	s, t := float64(seeds), float64(topics)
	return math.Sqrt(c.Seed/s + c.Topic/t + c.Interaction/(s*t))
}

// SeedsNeeded returns the fewest training seeds with which a difference of size
// effect is found on that many topics at level alpha with the given power, by
// the normal approximation on Components.StandardError; c must come from the
// differences of two systems. ok is false where no number of seeds suffices:
// the topics alone are too noisy.
func (c Components) SeedsNeeded(effect float64, topics int, power, alpha float64) (seeds int, ok bool) {
	if topics < 1 || alpha <= 0 || alpha >= 1 {
		return 0, false
	}
	normal := distuv.UnitNormal
	critical := normal.Quantile(1 - alpha/2)
	return fewest(1, power, func(n int) Number {
		z := math.Abs(effect) / c.StandardError(n, topics)
		return Defined(normal.CDF(z-critical) + normal.CDF(-z-critical))
	})
}
