package results

import (
	"fmt"
	"slices"

	"infbench/metrics"
)

// Coverage is how many queries of a task a run has rankings of.
type Coverage struct {
	Benchmark, Task string
	Ranked, Queries int // pairs or groups, where every value is of one
}

// String says it of a run, with what becomes of the others.
func (c Coverage) String() string {
	return fmt.Sprintf("ranks %d of %d queries of %s/%s; %d count as empty rankings", c.Ranked, c.Queries, c.Benchmark, c.Task, c.Queries-c.Ranked)
}

func (r *Result) coverage() Coverage { return Coverage{Benchmark: r.Benchmark, Task: r.Task} }

// PartCovered lists the tasks of which a run lacks queries, in the order of their
// values.
func PartCovered(all []Result) []Coverage {
	if !slices.ContainsFunc(all, func(r Result) bool { return r.Unranked }) {
		return nil
	}
	var order []Coverage
	single := map[Coverage]bool{}              // the tasks that have values of single queries
	unranked := map[Coverage]map[string]bool{} // task -> query -> whether a ranking is lacking
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
