package contrast

import (
	"slices"

	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// Pairing is two systems that differ in one choice; better is the side that a
// finding says is ahead.
type Pairing struct{ Better, Worse *scores.System }

// contrast holds how far the better sides of some pairings are ahead: for each
// seed and query the mean over the pairings. Over several tasks each value is
// weighted as in paired, so that plain means of it are means over tasks.
type contrast struct {
	Values [][]float64 // by seed, then query
	Runs   int         // pairs of runs behind it
}

// itemKey names a query of a task.
type itemKey struct{ task, query string }

// ContrastOf compares finished runs of the same seed on the queries of which all
// of them have a value.
func ContrastOf(pairs []Pairing, c scores.Number) contrast {
	bySeed := map[string][]map[itemKey]float64{}
	common := map[itemKey]int{}
	runs := 0
	for _, p := range pairs {
		for _, better := range p.Better.Trials {
			seed := better.Config[scores.SeedKey]
			worse := withSeed(p.Worse, seed)
			if worse == nil || !better.Finished() || !worse.Finished() {
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
	out := contrast{Runs: runs}
	for _, seed := range words.SortedKeys(bySeed) {
		row := make([]float64, len(items))
		for i, key := range items {
			for _, d := range bySeed[seed] {
				row[i] += d[key] / float64(len(bySeed[seed]))
			}
			row[i] *= weights[key.task]
		}
		out.Values = append(out.Values, row)
	}
	return out
}

// withSeed is the run of a system that has a seed, nil where there is none.
func withSeed(s *scores.System, seed string) *scores.Trial {
	for _, t := range s.Trials {
		if t.Config[scores.SeedKey] == seed {
			return t
		}
	}
	return nil
}

// ahead is better less worse for each query of a column that both have a defined
// value of.
func ahead(better, worse *scores.Trial, c scores.Number) map[itemKey]float64 {
	out := map[itemKey]float64{}
	for _, at := range c.Slots() {
		a, b := better.Scores[at], worse.Scores[at]
		for i, q := range a.Queries {
			j, ok := slices.BinarySearch(b.Queries, q)
			if ok && !a.Aggregate && !b.Aggregate && a.Values[i] != nil && b.Values[j] != nil {
				out[itemKey{at.Task, q}] = *a.Values[i] - *b.Values[j]
			}
		}
	}
	return out
}

// weighted lists, by task and query, the items that all runs have, with the weight
// of each task; it lists nothing where a task has none.
func weighted(common map[itemKey]int, runs int, c scores.Number) ([]itemKey, map[string]float64) {
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
	if len(c.Values) == 0 {
		return nil
	}
	out := make([]float64, len(c.Values[0]))
	for _, row := range c.Values {
		for i, v := range row {
			out[i] += v / float64(len(c.Values))
		}
	}
	return out
}

// test asks whether the mean over queries of the means over seeds is zero.
func (c contrast) test(o Options) (stats.Test, error) {
	d := c.queries()
	return stats.Randomization(make([]float64, len(d)), d, o.Permutations, o.Seed)
}

// Interval is that of the mean over seeds and queries, both resampled.
func (c contrast) interval(o Options) stats.Interval {
	return stats.CrossedMean(c.Values, Level, o.Resamples, o.Seed)
}
