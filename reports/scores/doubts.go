package scores

import (
	"infbench/internal/words"
	"infbench/runners/results"
)

// DoubtNotes lists the doubts about the data of these benchmarks that the loaders found
// and the runs recorded.
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
