package runners_test

import (
	"context"
	"fmt"
	"strings"

	"infbench/datasets"
	"infbench/runners"
)

// Letters counts the letters a to z of a text.
type Letters struct{}

func (Letters) Dim() int { return 26 }

func (l Letters) EncodeQueries(_ context.Context, queries, instructions []string, dst []float32) error {
	for i, query := range queries {
		l.count(query+" "+instructions[i], dst[i*l.Dim():])
	}
	return nil
}

func (l Letters) EncodeDocuments(_ context.Context, titles, texts []string, dst []float32) error {
	for i, text := range texts {
		l.count(titles[i]+" "+text, dst[i*l.Dim():])
	}
	return nil
}

func (l Letters) count(text string, vector []float32) {
	clear(vector[:l.Dim()])
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' {
			vector[r-'a']++
		}
	}
}

// An encoder of one's own is a type with three methods; Dense ranks by its vectors.
func ExampleEncoder() {
	task := &datasets.Task{
		Name:    "words",
		Corpus:  datasets.MemoryCorpus{{ID: "d1", Text: "stone"}, {ID: "d2", Text: "tone"}, {ID: "d3", Text: "river"}},
		Queries: []datasets.Query{{ID: "q1", Text: "notes"}},
	}
	dense := runners.NewDense("letters", Letters{}, runners.DenseOptions{})
	run, err := dense.Retrieve(context.Background(), task, 10)
	if err != nil {
		panic(err)
	}
	for _, hit := range run["q1"] {
		fmt.Printf("%s %.3f\n", hit.Doc, hit.Score)
	}
	// Output:
	// d1 1.000
	// d2 0.894
	// d3 0.169
}
