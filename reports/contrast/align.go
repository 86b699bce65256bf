package contrast

import (
	"slices"

	"infbench/metrics/stats"
	"infbench/reports/scores"
)

// valuer returns the values of a slot by query, with the queries in ascending order.
type valuer func(at scores.Slot) (queries []string, values []float64)

// alignment holds the values of the queries that all sources have, stratum after stratum.
type alignment struct {
	stats.Layout
	queries []string
	values  [][]float64 // by source
	lacking []int       // by source: number of its queries that another source lacks
}

// align finds the queries that all sources have a value for. complete is false if a task has
// none; later tasks are then not aligned.
func align(from []valuer, on scores.Number) (out alignment, complete bool) {
	out.values, out.lacking = make([][]float64, len(from)), make([]int, len(from))
	for _, stratum := range on.Strata() {
		size := 0
		for _, at := range stratum.Slots {
			found := out.add(from, at)
			if found == 0 {
				return out, false
			}
			size += found
		}
		out.Sizes = append(out.Sizes, size)
	}
	out.Weights = on.Weights(out.Sizes)
	return out, len(out.Sizes) > 0
}

// add adds the queries of a slot that all sources have, and returns their number.
func (a *alignment) add(from []valuer, at scores.Slot) (size int) {
	queries, values := make([][]string, len(from)), make([][]float64, len(from))
	for k, source := range from {
		queries[k], values[k] = source(at)
	}
	if allEqual(queries) { // the usual case
		for k := range from {
			a.values[k] = joined(a.values[k], values[k])
		}
		a.queries = joined(a.queries, queries[0])
		return len(queries[0])
	}
	for places := range common(queries) {
		for k, i := range places {
			a.values[k] = append(a.values[k], values[k][i])
		}
		a.queries = append(a.queries, queries[0][places[0]])
		size++
	}
	for k := range from {
		a.lacking[k] += len(queries[k]) - size
	}
	return size
}

// joined returns list followed by more. If one of them is empty it returns the other
// itself, which must not be changed.
func joined[T any](list, more []T) []T {
	if len(list) == 0 {
		return slices.Clip(more)
	}
	return append(list, more...)
}

// allEqual reports whether all lists are equal.
func allEqual(lists [][]string) bool {
	for _, list := range lists[1:] {
		if !scores.SameList(list, lists[0]) {
			return false
		}
	}
	return true
}

// common yields, for each text in all of the ascending lists, its positions in them. The
// slice of positions is reused for the next text.
func common(lists [][]string) func(yield func(places []int) bool) {
	return func(yield func([]int) bool) {
		places := make([]int, len(lists))
		for i, text := range lists[0] {
			places[0] = i
			everywhere := true
			for k := 1; k < len(lists); k++ {
				for places[k] < len(lists[k]) && lists[k][places[k]] < text {
					places[k]++
				}
				everywhere = everywhere && places[k] < len(lists[k]) && lists[k][places[k]] == text
			}
			if everywhere && !yield(places) {
				return
			}
		}
	}
}

// valuesOf returns a valuer for the defined values of one run.
func valuesOf(t *scores.Trial) valuer {
	return func(at scores.Slot) (queries []string, values []float64) {
		have := t.Scores[at]
		if have.Aggregate {
			return nil, nil
		}
		return have.Defined()
	}
}

// AlignTrials finds the queries that all trials have a value for, and the values of each
// trial. complete is false if a task has none.
func AlignTrials(trials []*scores.Trial, on scores.Number) (of stats.Layout, values [][]float64, complete bool) {
	var from []valuer
	for _, t := range trials {
		from = append(from, valuesOf(t))
	}
	found, complete := align(from, on)
	return found.Layout, found.values, complete
}
