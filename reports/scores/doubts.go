package scores

import (
	"infbench/internal/words"
	"infbench/runners/results"
)

// DoubtNotes say what is doubtful about the data of the benchmarks of these numbers, as
// their loaders found and the runs recorded.
func DoubtNotes(v *Set, numbers []Number) (notes []string) {
	var seen []string
	for _, n := range numbers {
		b := v.Benchmarks[n.Benchmark]
		before := len(seen)
		if seen = words.AddNew(seen, n.Benchmark); len(seen) == before || b == nil {
			continue
		}
		for _, doubt := range results.Doubts(n.Benchmark, b.Warnings) {
			notes = append(notes, "Doubtful data: "+words.Clean(doubt)+".")
		}
	}
	return notes
}
