package results

import (
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
)

// WarningsOf are the warnings of the loaders by task; nil where there are none.
func WarningsOf(b *datasets.Benchmark) map[string][]string {
	var all map[string][]string
	for i := range b.Tasks {
		if t := &b.Tasks[i]; len(t.Warnings) > 0 {
			if all == nil {
				all = map[string][]string{}
			}
			all[t.Name] = t.Warnings
		}
	}
	return all
}

// doubtsShown is how many doubts about the data of a benchmark are shown.
const doubtsShown = 5

// Doubts are the warnings about a benchmark's data in sentences: the first few, with how
// many there are beside. What several tasks have in common is said once.
func Doubts(benchmark string, warnings map[string][]string) []string {
	var order []string
	tasks := map[string][]string{}
	for _, task := range slices.Sorted(maps.Keys(warnings)) {
		for _, w := range warnings[task] {
			if tasks[w] == nil {
				order = append(order, w)
			}
			tasks[w] = append(tasks[w], task)
		}
	}
	var out []string
	for _, w := range order[:min(len(order), doubtsShown)] {
		of := tasks[w]
		where := benchmark + "/" + of[0]
		if len(of) > 1 {
			where += fmt.Sprintf(" and %d other tasks", len(of)-1)
		}
		out = append(out, where+": "+w)
	}
	if more := len(order) - doubtsShown; more > 0 {
		out = append(out, fmt.Sprintf("%s: and %d other warnings about its data", benchmark, more))
	}
	return out
}
