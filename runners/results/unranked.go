package results

import (
	"fmt"
	"slices"

	"infbench/metrics"
)

// Coverage is the number of a task's queries that a run ranks.
type Coverage struct {
	Benchmark, Task string
	Ranked, Queries int // pairs or groups, if every value is of one
}

// String describes the coverage of a run, and how the other queries count.
func (c Coverage) String() string {
	return fmt.Sprintf("ranks %d of %d queries of %s/%s; %d count as empty rankings", c.Ranked, c.Queries, c.Benchmark, c.Task, c.Queries-c.Ranked)
}

func (r *Result) coverage() Coverage { return Coverage{Benchmark: r.Benchmark, Task: r.Task} }

// PartCovered lists the tasks with queries that a run does not rank, in the order of their
// values.
func PartCovered(all []Result) []Coverage {
	if !slices.ContainsFunc(all, func(r Result) bool { return r.Unranked }) {
		return nil
	}
	var order []Coverage
	single := map[Coverage]bool{}              // tasks with values of single queries
	unranked := map[Coverage]map[string]bool{} // task -> query -> whether its ranking is missing
	for _, r := range all {
		single[r.coverage()] = single[r.coverage()] || !metrics.OfGroups(r.Measure)
	}
	for _, r := range all {
		task := r.coverage()
		if single[task] && metrics.OfGroups(r.Measure) {
			continue // its queries are counted
		}
		if unranked[task] == nil {
			unranked[task] = map[string]bool{}
			order = append(order, task)
		}
		unranked[task][r.Query] = unranked[task][r.Query] || r.Unranked
	}
	var out []Coverage
	for _, c := range order {
		queries := unranked[c]
		for _, lacking := range queries {
			if c.Queries++; !lacking {
				c.Ranked++
			}
		}
		if c.Ranked < c.Queries {
			out = append(out, c)
		}
	}
	return out
}
