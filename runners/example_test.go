package runners_test

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners"
)

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Rank your own dataset, a task in memory, by BM25, and score the ranking.
func Example() {
	task := &datasets.Task{
		Name: "rivers",
		Corpus: datasets.MemoryCorpus{
			{ID: "rhine", Text: "The Rhine flows through Basel and Cologne."},
			{ID: "basel", Title: "Basel", Text: "A city on the Rhine with an old university."},
		},
		Queries: []datasets.Query{{ID: "q1", Text: "Rhine", Instruction: "Only cities are relevant."}},
		Qrels:   trec.Qrels{"q1": {"basel": 1}},
	}
	run := must(must(runners.NewBM25(runners.BM25Options{})).Retrieve(context.Background(), task, 10))
	hits, cases := run["q1"], must(metrics.Inputs{Run: run, Qrels: task.Qrels}.Cases())
	ndcg, _ := metrics.NDCG{K: 10}.Score(cases[0])
	fmt.Println(hits[0].Doc, hits[1].Doc, ndcg)
	// Output: basel rhine 1
}
