package contrast

import (
	"math"

	"infbench/reports/scores"
)

// valuer is where values come from: those of a slot by query, queries ascending.
type valuer func(at scores.Slot) (queries []string, values []float64)

// alignment holds the values of the queries that all sources have, task after task.
type alignment struct {
	queries []string
	values  [][]float64 // by source
	sizes   []int       // queries of each task
	lacking []int       // by source: its queries that another lacks
}

// align finds the queries that all sources have a value for. whole is false where a
// task has none; the tasks after it are not looked at.
func align(from []valuer, slots []scores.Slot) (out alignment, whole bool) {
	out.values, out.lacking = make([][]float64, len(from)), make([]int, len(from))
	queries, values := make([][]string, len(from)), make([][]float64, len(from))
	for _, at := range slots {
		for k, source := range from {
			queries[k], values[k] = source(at)
		}
		size := 0
		for places := range common(queries) {
			for k, i := range places {
				out.values[k] = append(out.values[k], values[k][i])
			}
			out.queries = append(out.queries, queries[0][places[0]])
			size++
		}
		for k := range from {
			out.lacking[k] += len(queries[k]) - size
		}
		if size == 0 {
			return out, false
		}
		out.sizes = append(out.sizes, size)
	}
	return out, len(out.sizes) > 0
}

// common yields, for each text that all ascending lists hold, its places in them.
// The places are used again for the next.
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

// Aligned returns the values of systems on the queries that all of them have, by
// system, weighted so that a plain mean is the unweighted one over tasks. nil where
// a task has no such query.
func Aligned(systems []*scores.System, c scores.Number) [][]float64 {
	var from []valuer
	for _, s := range systems {
		from = append(from, s.PerQuery)
	}
	out, whole := align(from, c.Slots())
	if !whole {
		return nil
	}
	for _, values := range out.values {
		weigh(values, out.sizes)
	}
	return out.values
}

// weigh multiplies the values of each task, one after the other and sizes long, by
// (all queries)/(tasks × queries of the task), which makes the plain mean the
// unweighted mean over tasks; with one task the weight is 1.
func weigh(values []float64, sizes []int) {
	i := 0
	for _, size := range sizes {
		weight := float64(len(values)) / float64(len(sizes)*size)
		for j := range size {
			if math.Abs(weight-1) >= 1e-12 { // equal sizes: leave the values as they are
				values[i+j] *= weight
			}
		}
		i += size
	}
}
