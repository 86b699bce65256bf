package runners_test

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners"
)

// Rank a dataset of one's own, a task held in memory, by BM25, and score the ranking.
func Example() {
	task := &datasets.Task{
		Name: "rivers",
		Corpus: datasets.MemoryCorpus{
			{ID: "rhine", Text: "The Rhine flows through Basel and Cologne."},
			{ID: "danube", Text: "The Danube flows through Vienna and Budapest."},
			{ID: "basel", Title: "Basel", Text: "A city on the Rhine with an old university."},
		},
		Queries: []datasets.Query{
			{ID: "q1", Text: "Which river flows through Vienna?"},
			{ID: "q2", Text: "Rhine", Instruction: "Only cities are relevant."},
		},
		Qrels: trec.Qrels{"q1": {"danube": 1}, "q2": {"basel": 1}},
	}
	bm25, err := runners.NewBM25(runners.BM25Options{})
	if err != nil {
		panic(err)
	}
	run, err := bm25.Retrieve(context.Background(), task, 10)
	if err != nil {
		panic(err)
	}
	for _, query := range task.Queries {
		for _, hit := range run[query.ID] {
			fmt.Printf("%s %s %.3f\n", query.ID, hit.Doc, hit.Score)
		}
	}
	cases, err := metrics.Inputs{Run: run, Qrels: task.Qrels}.Cases()
	if err != nil {
		panic(err)
	}
	measure := metrics.NDCG{K: 10}
	mean, _ := metrics.Summarize(measure, metrics.ScoreAll([]metrics.Measure{measure}, cases)[0])
	fmt.Printf("%s %.3f\n", measure, mean)
	// Output:
	// q1 danube 1.011
	// q1 rhine 0.495
	// q2 basel 0.764
	// q2 rhine 0.247
	// nDCG@10 1.000
}
