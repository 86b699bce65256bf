package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Difference splits the variance of the difference between two systems, each with one run per
// training seed, over topics and seeds: the variance that a comparison on other topics, with
// other seeds, would have. Seeds belong to one system; for a system with one run the noise of
// that run counts with the topics. Estimates below zero are cut to 0 and reported in Cut.
type Difference struct {
	Mean              float64 // the second system minus the first
	Topics            int
	Seeds             [2]int     // runs of the first and the second system
	Topic             float64    // variance of the topics' own differences
	Seed, Interaction [2]float64 // variances of each system as in SplitVariance; 0 for one run
	Cut               bool
}

// SplitDifference estimates the components from a[seed][topic] and b[seed][topic] on the same
// topics, 2 or more. Mean squares are those of topics crossed with systems, with seeds nested
// in systems (Westfall, Kenny and Judd 2014, Journal of Experimental Psychology: General 143,
// "stimuli within conditions").
func SplitDifference(a, b [][]float64) (Difference, error) {
	var d Difference
	var means [2][]float64
	for i, system := range [][][]float64{a, b} {
		if len(system) == 0 {
			return d, fmt.Errorf("split difference: system %d has no runs", i)
		}
		if d.Seeds[i] = len(system); d.varies(i) {
			c, err := SplitVariance(system)
			if err != nil {
				return d, fmt.Errorf("split difference: system %d: %w", i, err)
			}
			d.Seed[i], d.Interaction[i], d.Cut = c.Seed, c.Interaction, d.Cut || c.Seed == 0 && c.Cut
		}
		means[i] = SeedMeans(system)
	}
	differences, err := differences(means[0], means[1], 2)
	if err != nil {
		return d, fmt.Errorf("split difference: %w", err)
	}
	d.Topics, d.Mean = len(differences), stat.Mean(differences, nil)
	topic := stat.Variance(differences, nil)
	if constant(differences, means[0], means[1]) {
		topic = 0 // zero except for rounding
	}
	topic -= d.Interaction[0]/float64(d.Seeds[0]) + d.Interaction[1]/float64(d.Seeds[1])
	d.Topic, d.Cut = max(0, topic), d.Cut || topic < 0
	return d, nil
}

// SeedMeans averages values[seed][topic] over seeds.
func SeedMeans(values [][]float64) []float64 {
	means := make([]float64, len(values[0]))
	for _, run := range values {
		floats.Add(means, run)
	}
	floats.Scale(1/float64(len(values)), means)
	return means
}

// varies reports whether a system has several runs, which show how its seeds vary.
func (d Difference) varies(system int) bool { return d.Seeds[system] > 1 }

// StandardError returns the standard error of the mean difference for a number of seeds of
// each system and a number of topics, which need not be those that the components were
// estimated from. nu is its degrees of freedom by Satterthwaite's rule (1946); with one seed
// of each, topics−1. ok is false if a single seed gives no information on seeds that vary, or
// if there is no variance at all.
func (d Difference) StandardError(seeds [2]int, topics int) (se, nu float64, ok bool) {
	if min(seeds[0], seeds[1]) < 1 || topics < 2 {
		return 0, 0, false
	}
	t := float64(topics)
	total := d.Topic / t // mean square of topics, divided by topics
	for i, s := range seeds {
		total += d.Interaction[i] / t / float64(s)
	}
	spread := total * total / (t - 1)
	for i, s := range seeds {
		if !d.varies(i) || s == 1 && d.Seed[i] == 0 {
			continue
		}
		if s == 1 {
			return 0, 0, false
		}
		rest := d.Interaction[i] / t / float64(s)
		seed := d.Seed[i]/float64(s) + rest
		total += seed - rest
		spread += seed*seed/float64(s-1) + rest*rest/float64(s-1)/(t-1)
	}
	return math.Sqrt(total), total * total / spread, total > 0
}

// Power returns the probability that a true difference of a size is found at level alpha by
// the t test based on StandardError; it is undefined if StandardError is.
func (d Difference) Power(size float64, seeds [2]int, topics int, alpha float64) Number {
	se, nu, ok := d.StandardError(seeds, topics)
	if !ok {
		return Number{}
	}
	return Power(size/se, nu, alpha)
}

// Smallest returns the smallest true difference that is found with probability power at level
// alpha: Bloom's minimum detectable effect (1995, Evaluation Review 19). It depends on how
// much the values vary and not on the observed difference.
func (d Difference) Smallest(seeds [2]int, topics int, power, alpha float64) Number {
	se, nu, ok := d.StandardError(seeds, topics)
	shift, found := smallestShift(power, nu, alpha).Get()
	if !ok || !found {
		return Number{}
	}
	return Defined(shift * se)
}

// TopicsNeeded returns the smallest number of topics with which a true difference of a size
// is found, for these numbers of seeds, with probability power at level alpha; ok is false if
// 2²⁰ do not suffice because the seeds alone vary too much. With one run of each system it
// agrees with statsmodels TTestPower.solve_power, rounded up.
func (d Difference) TopicsNeeded(size float64, seeds [2]int, power, alpha float64) (topics int, ok bool) {
	return fewest(2, power, func(n int) Number { return d.Power(size, seeds, n, alpha) })
}

// SeedsNeeded is TopicsNeeded for the seeds of each system whose seeds vary, with a given
// number of topics. ok is also false if neither system has runs of several seeds.
func (d Difference) SeedsNeeded(size float64, topics int, power, alpha float64) (seeds int, ok bool) {
	if !d.varies(0) && !d.varies(1) {
		return 0, false
	}
	return fewest(1, power, func(n int) Number { return d.Power(size, [2]int{n, n}, topics, alpha) })
}
