package reports

import (
	"slices"

	"infbench/metrics/stats"
)

// pairing is two systems that differ in one choice; better is the side that a
// finding says is ahead.
type pairing struct{ better, worse *system }

// contrast holds how far the better sides of some pairings are ahead: for each
// seed and query the mean over the pairings. Over several tasks each value is
// weighted as in paired, so that plain means of it are means over tasks.
type contrast struct {
	values [][]float64 // by seed, then query
	runs   int         // pairs of runs behind it
}

// itemKey names a query of a task.
type itemKey struct{ task, query string }

// contrastOf compares finished runs of the same seed on the queries of which all
// of them have a value.
func contrastOf(pairs []pairing, c column) contrast {
	bySeed := map[string][]map[itemKey]float64{}
	common := map[itemKey]int{}
	runs := 0
	for _, p := range pairs {
		for _, better := range p.better.trials {
			seed := better.Config[seedKey]
			worse := p.worse.withSeed(seed)
			if worse == nil || !better.finished() || !worse.finished() {
				continue
			}
			d := ahead(better, worse, c)
			for key := range d {
				common[key]++
			}
			bySeed[seed] = append(bySeed[seed], d)
			runs++
		}
	}
	items, weights := weighted(common, runs, c)
	if len(items) == 0 {
		return contrast{}
	}
	out := contrast{runs: runs}
	for _, seed := range sortedKeys(bySeed) {
		row := make([]float64, len(items))
		for i, key := range items {
			for _, d := range bySeed[seed] {
				row[i] += d[key] / float64(len(bySeed[seed]))
			}
			row[i] *= weights[key.task]
		}
		out.values = append(out.values, row)
	}
	return out
}

// withSeed is the run of a system that has a seed, nil where there is none.
func (s *system) withSeed(seed string) *trial {
	for _, t := range s.trials {
		if t.Config[seedKey] == seed {
			return t
		}
	}
	return nil
}

// ahead is better less worse for each query of a column that both have a defined
// value of.
func ahead(better, worse *trial, c column) map[itemKey]float64 {
	out := map[itemKey]float64{}
	for _, at := range c.slots() {
		a, b := better.scores[at], worse.scores[at]
		for i, q := range a.queries {
			j, ok := slices.BinarySearch(b.queries, q)
			if ok && !a.aggregate && !b.aggregate && a.values[i] != nil && b.values[j] != nil {
				out[itemKey{at.Task, q}] = *a.values[i] - *b.values[j]
			}
		}
	}
	return out
}

// weighted lists, by task and query, the items that all runs have, with the weight
// of each task; it lists nothing where a task has none.
func weighted(common map[itemKey]int, runs int, c column) ([]itemKey, map[string]float64) {
	var items []itemKey
	size := map[string]int{}
	for key, n := range common {
		if n == runs {
			items = append(items, key)
			size[key.task]++
		}
	}
	slices.SortFunc(items, func(a, b itemKey) int {
		return slices.Compare([]string{a.task, a.query}, []string{b.task, b.query})
	})
	weights := map[string]float64{}
	for _, task := range c.Tasks {
		if size[task] == 0 {
			return nil, nil
		}
		weights[task] = float64(len(items)) / float64(len(c.Tasks)*size[task])
	}
	return items, weights
}

// queries averages over seeds.
func (c contrast) queries() []float64 {
	if len(c.values) == 0 {
		return nil
	}
	out := make([]float64, len(c.values[0]))
	for _, row := range c.values {
		for i, v := range row {
			out[i] += v / float64(len(c.values))
		}
	}
	return out
}

// test asks whether the mean over queries of the means over seeds is zero.
func (c contrast) test(o Options) (stats.Test, error) {
	d := c.queries()
	return stats.Randomization(make([]float64, len(d)), d, o.Permutations, o.Seed)
}

// interval is that of the mean over seeds and queries, both resampled.
func (c contrast) interval(o Options) stats.Interval {
	return stats.CrossedMean(c.values, level, o.Resamples, o.Seed)
}
