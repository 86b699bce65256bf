package command

import (
	"fmt"
	"math"

	"infbench/metrics/stats"
)

// detection is the power of comparing a system with the baseline by one measure. The
// deviations are those of the difference between the two.
type detection struct {
	Seeds       [2]int       `json:"seeds"` // runs of the baseline and of the system
	OverQueries float64      `json:"sd_queries"`
	OverSeeds   float64      `json:"sd_seeds"`
	Rest        float64      `json:"sd_rest"` // of queries with seeds, if there are several seeds
	Chance      float64      `json:"chance"`  // of finding the smallest difference
	Alpha       float64      `json:"alpha"`   // level of the test
	Smallest    stats.Number `json:"smallest_difference"`
	Difference  float64      `json:"difference,omitempty"` // the difference asked for; below, what it needs; null if no number suffices
	Queries     stats.Number `json:"queries_needed"`
	EachSeeds   stats.Number `json:"seeds_needed"`
	P           float64      `json:"p_tukey_hsd"`
	Cut         bool         `json:"variance_cut"` // an estimate was below 0 and counts as 0
}

// Family returns the number of comparisons that share the level of a test.
func (p comparisonPlan) Family(systems int) int {
	switch {
	case p.Test == "tukey":
		return systems * (systems - 1) / 2
	case p.Correct == "none":
		return 1
	}
	return systems - 1
}

// detect computes for each system the power of comparing it with the first, if that is asked
// for. The arguments are values[system][seed][query], and their means over seeds.
func (c *comparison) detect(p comparisonPlan, values [][][]float64, means [][]float64) error {
	if p.Power == 0 {
		return nil
	}
	pairs, err := stats.TukeyHSD(means) // pairs with the first system come first
	if err != nil {
		return fmt.Errorf("power: %w", err)
	}
	alpha := p.Alpha / float64(p.Family(len(values)))
	for i := range c.Runs[1:] {
		v, err := stats.SplitDifference(values[0], values[i+1])
		if err != nil {
			return fmt.Errorf("power: %w", err)
		}
		d := &detection{
			Seeds: v.Seeds, OverQueries: math.Sqrt(v.Topic),
			OverSeeds: math.Hypot(math.Sqrt(v.Seed[0]), math.Sqrt(v.Seed[1])),
			Rest:      math.Hypot(math.Sqrt(v.Interaction[0]), math.Sqrt(v.Interaction[1])),
			Chance:    p.Power, Alpha: alpha, Smallest: v.Smallest(v.Seeds, v.Topics, p.Power, alpha),
			Difference: p.Difference, P: pairs[i].P, Cut: v.Cut,
		}
		if p.Difference > 0 {
			d.Queries = numberIf(v.TopicsNeeded(p.Difference, v.Seeds, p.Power, alpha))
			d.EachSeeds = numberIf(v.SeedsNeeded(p.Difference, v.Topics, p.Power, alpha))
		}
		c.Runs[i+1].Power = d
	}
	return nil
}

// numberIf returns a count, or an undefined number.
func numberIf(n int, ok bool) stats.Number {
	if !ok {
		return stats.Number{}
	}
	return stats.Defined(float64(n))
}
