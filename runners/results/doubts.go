package results

import (
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
)

// WarningsOf returns the warnings of the loaders by task; nil without warnings.
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

// doubtsShown is the largest number of warnings shown for the data of a benchmark.
const doubtsShown = 5

// Doubts lists the warnings about a benchmark's data in sentences: the first few, and the
// number of the rest. A warning that several tasks share is listed once.
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
