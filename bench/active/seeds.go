package active

import (
	"maps"
	"math"
	"slices"

	"infbench/metrics/stats"
)

// seeds returns several estimates of how the runs of each system vary: first pooled over all
// systems, then for each factor pooled within the systems of one level. Runs of one backbone
// may vary far more than those of another, and a few replicates do not show it. Pooling all
// runs made one sweep in ten end with a false verdict. Pooling after a test of equal variances
// still made one in twelve (Zimmerman 2004, British Journal of Mathematical and Statistical
// Psychology 57, on preliminary tests). A level without replicates takes the largest variance
// of the other levels.
func (d *Deciding) seeds(l stats.Layout, runs map[int][][]float64) (ways [][]*stats.Seeds) {
	var all []stats.Replicates
	of := map[int]stats.Replicates{}
	for system := range d.Levels {
		if r, ok := stats.ReplicatesOf(l, runs[system]); ok {
			all, of[system] = append(all, r), r
		}
	}
	together := stats.Pool(all)
	way := func(levels map[string]*stats.Seeds, factor int) []*stats.Seeds {
		most := &together
		for _, level := range slices.Sorted(maps.Keys(levels)) {
			if levels[level].Variance > most.Variance {
				most = levels[level]
			}
		}
		out := make([]*stats.Seeds, len(d.Levels))
		for system := range out {
			if out[system] = most; levels[d.Levels[system][factor]] != nil {
				out[system] = levels[d.Levels[system][factor]]
			}
		}
		return out
	}
	ways = append(ways, way(nil, 0))
	for factor := range d.Levels[0] {
		if levels := d.byLevel(factor, of); len(levels) > 1 {
			ways = append(ways, way(levels, factor))
		}
	}
	return ways
}

// byLevel pools the replicates of each level of a factor.
func (d *Deciding) byLevel(factor int, of map[int]stats.Replicates) map[string]*stats.Seeds {
	levels := map[string][]stats.Replicates{}
	for system := range d.Levels {
		if r, ok := of[system]; ok {
			levels[d.Levels[system][factor]] = append(levels[d.Levels[system][factor]], r)
		}
	}
	out := map[string]*stats.Seeds{}
	for level, replicates := range levels {
		s := stats.Pool(replicates)
		out[level] = &s
	}
	return out
}

// runVariances returns the variance of the runs of each system. Choices use a thousandth of the
// variance of the cells if runs do not vary or their variance is not estimated yet.
func runVariances(seeds []*stats.Seeds, means []float64) []float64 {
	least := 0.0
	for _, m := range means {
		least = max(least, math.Abs(m-means[0]))
	}
	out := make([]float64, len(seeds))
	for i, s := range seeds {
		out[i] = max(s.Variance, least*least*1e-6, 1e-12)
	}
	return out
}
