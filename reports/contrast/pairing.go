package contrast

import (
	"cmp"
	"slices"

	"infbench/bench/results"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// Pairing is two systems that differ in one choice; better is the side that a
// finding says is ahead.
type Pairing struct{ Better, Worse *scores.System }

// Across is how far the better sides of pairings, of which there are some, lie above
// the others, run by run of the same seed: the mean over the pairings.
func Across(pairs []Pairing, on scores.Number) *Contrast {
	return &Contrast{A: pairs[0].Worse, B: pairs[0].Better, On: on, pairs: pairs}
}

// bySeed compares finished runs of the same seed on the queries of which all of them
// have a value. A row is a seed: the mean over its pairs of runs.
func (c *Contrast) bySeed() sample {
	var from []valuer
	count := map[string]int{}
	var seeds []string // of each pair of runs
	for _, p := range c.pairs {
		for _, better := range p.Better.Trials {
			seed := better.Config[results.Seed]
			if worse := withSeed(p.Worse, seed); worse != nil && better.Finished() && worse.Finished() {
				from = append(from, valuesOf(worse), valuesOf(better))
				seeds = append(seeds, seed)
				count[seed]++
			}
		}
	}
	slots := slices.SortedFunc(slices.Values(c.On.Slots()), func(a, b scores.Slot) int { return cmp.Compare(a.Task, b.Task) })
	found, whole := align(from, slots)
	if c.Runs = len(seeds); !whole {
		c.Why = "no finished runs of one seed have a query in common"
		return sample{}
	}
	bySeed := map[string][]float64{}
	for i, seed := range seeds {
		if bySeed[seed] == nil {
			bySeed[seed] = make([]float64, len(found.queries))
		}
		for j, d := range MinusRows(found.values[2*i+1], found.values[2*i]) {
			bySeed[seed][j] += d / float64(count[seed])
		}
	}
	var x sample
	for _, seed := range words.SortedKeys(bySeed) {
		weigh(bySeed[seed], found.sizes)
		x.rows = append(x.rows, bySeed[seed])
	}
	x.a, x.b = make([]float64, len(found.queries)), meanOfRows(x.rows)
	return x
}

// withSeed is the run of a system that has a seed, nil where there is none.
func withSeed(s *scores.System, seed string) *scores.Trial {
	i := slices.IndexFunc(s.Trials, func(t *scores.Trial) bool { return t.Config[results.Seed] == seed })
	if i < 0 {
		return nil
	}
	return s.Trials[i]
}

// valuesOf gives the defined values of one run.
func valuesOf(t *scores.Trial) valuer {
	return func(at scores.Slot) (queries []string, values []float64) {
		have := t.Scores[at]
		for i, q := range have.Queries {
			if !have.Aggregate && have.Values[i] != nil {
				queries, values = append(queries, q), append(values, *have.Values[i])
			}
		}
		return queries, values
	}
}
