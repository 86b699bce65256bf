package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Comparison is one pair of systems in an all-pairs test, with A before B in order.
type Comparison struct {
	A, B           int     // indices of the systems
	MeanDifference float64 // mean of B minus mean of A
	P              float64 // adjusted for all pairs
}

// checkScores returns an error unless the layout has at least 2 systems with at least least
// topics of finite values.
func checkScores(scores [][]float64, least int) error {
	if len(scores) < 2 {
		return fmt.Errorf("%d systems, need 2", len(scores))
	}
	for i, s := range scores {
		if _, err := differences(scores[0], s, least); err != nil {
			return fmt.Errorf("system %d: %w", i, err)
		}
	}
	return nil
}

// TukeyHSD compares all pairs of systems on the two-way layout scores[system] [topic] without
// interaction: q = |difference of means| / sqrt(MSE/n), where MSE is the residual of system
// plus topic effects, against the studentised range with (k−1)(n−1) degrees of freedom.
// Unlike scipy.stats.tukey_hsd, which is one-way, it removes the differences between topics.
// Identical systems have P = 1; if the residual is 0, any difference has P = 0. It needs 2
// systems and 2 topics.
func TukeyHSD(scores [][]float64) ([]Comparison, error) {
	if err := checkScores(scores, 2); err != nil {
		return nil, fmt.Errorf("tukey: %w", err)
	}
	k, n := len(scores), len(scores[0])
	layout := newTwoWay(scores)
	nu := float64((k - 1) * (n - 1))
	unit := math.Sqrt(layout.residual / nu / float64(n))
	return comparePairs(scores, func(difference float64) float64 {
		if math.Abs(difference) <= slack(layout.scale) {
			return 1
		}
		return StudentizedRange(math.Abs(difference)/unit, k, nu) // unit 0: q is +Inf
	}), nil
}

// RandomizedTukeyHSD compares all pairs of systems by shuffling each topic's values among the
// systems (Carterette 2012): P is the share of shuffles whose largest difference between any
// two means is at least the pair's, as (count+1)/(permutations+1). It assumes no distribution
// and controls the probability of any false claim. It needs 2 systems, 1 topic and 1
// permutation.
func RandomizedTukeyHSD(scores [][]float64, permutations int, seed uint64) ([]Comparison, error) {
	p, err := randomizedTukey(scores, permutations, seed)
	if err != nil {
		return nil, err
	}
	return comparePairs(scores, p), nil
}

// randomizedTukey returns a function that gives the p-value of a difference of means.
func randomizedTukey(scores [][]float64, permutations int, seed uint64) (p func(difference float64) float64, err error) {
	if err := checkScores(scores, 1); err != nil {
		return nil, fmt.Errorf("randomized tukey: %w", err)
	}
	if permutations < 1 {
		return nil, fmt.Errorf("randomized tukey: %d permutations, need at least 1", permutations)
	}
	ranges := shuffledRanges(scores, permutations, seed)
	slack := slack(newTwoWay(scores).scale) // ties count
	return func(difference float64) float64 {
		count := 0
		for _, r := range ranges {
			if r >= math.Abs(difference)-slack {
				count++
			}
		}
		return float64(count+1) / float64(permutations+1)
	}, nil
}

// comparePairs applies p to the difference of means of all pairs, in order.
func comparePairs(scores [][]float64, p func(difference float64) float64) []Comparison {
	var all []Comparison
	for a := range scores {
		for b := a + 1; b < len(scores); b++ {
			difference := stat.Mean(scores[b], nil) - stat.Mean(scores[a], nil)
			all = append(all, Comparison{A: a, B: b, MeanDifference: difference, P: p(difference)})
		}
	}
	return all
}

// shuffledRanges returns, for each permutation, the range of the system means
// after shuffling every topic's values among the systems.
func shuffledRanges(scores [][]float64, permutations int, seed uint64) []float64 {
	k, n := len(scores), len(scores[0])
	byTopic := make([]float64, 0, n*k)
	for topic := range n {
		for _, system := range scores {
			byTopic = append(byTopic, system[topic])
		}
	}
	r := source(seed)
	sums := make([]float64, k)
	ranges := make([]float64, permutations)
	for i := range ranges {
		clear(sums)
		for row := byTopic; len(row) > 0; row = row[k:] {
			// Shuffling the result of the last permutation is as good as a fresh start.
			for last := k - 1; last > 0; last-- {
				other := draw(r, last+1)
				row[last], row[other] = row[other], row[last]
				sums[last] += row[last]
			}
			sums[0] += row[0]
		}
		low, high := sums[0], sums[0]
		for _, s := range sums[1:] {
			low, high = min(low, s), max(high, s)
		}
		ranges[i] = (high - low) / float64(n)
	}
	return ranges
}
