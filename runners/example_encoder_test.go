package runners_test

import (
	"context"
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/runners"
)

// Letters counts the letters a to z.
type Letters struct{}

func (Letters) Dim() int { return 26 }

func (Letters) EncodeQueries(_ context.Context, queries, instructions []string, dst []float32) error {
	return count(queries, instructions, dst)
}

func (Letters) EncodeDocuments(_ context.Context, titles, texts []string, dst []float32) error {
	return count(titles, texts, dst)
}

func count(before, after []string, dst []float32) error {
	for i := range 26 * len(before) {
		dst[i] = float32(strings.Count(before[i/26]+" "+after[i/26], string(rune('a'+i%26))))
	}
	return nil
}

// Your own encoder is a type with three methods; Dense ranks by its vectors.
func ExampleEncoder() {
	task := &datasets.Task{
		Corpus:  datasets.MemoryCorpus{{ID: "d1", Text: "river"}, {ID: "d2", Text: "stone"}, {ID: "d3", Text: "tone"}},
		Queries: []datasets.Query{{ID: "q1", Text: "notes"}},
	}
	run := must(runners.NewDense("letters", Letters{}, runners.DenseOptions{}).Retrieve(context.Background(), task, 10))
	fmt.Println(run["q1"][0].Doc, run["q1"][1].Doc)
	// Output: d2 d3
}
