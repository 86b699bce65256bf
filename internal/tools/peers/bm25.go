package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"infbench/datasets"
	"infbench/runners"
)

// documentLengths are lengths that Lucene and we keep exactly: most others are rounded to one of
// these, but not by bm25s.
var documentLengths = []int{68, 72, 76, 80, 84, 88, 96, 104, 112, 120, 128, 136, 144}

// bm25Bout indexes and searches a corpus by its words.
func bm25Bout() bout {
	const (
		index  = "BM25 index, 50,000 documents of 101 words"
		search = "BM25 search, 2,000 queries of 8 words, top 1,000"
	)
	return bout{
		name: "bm25",
		note: "all analyse as Lucene's EnglishAnalyzer with k1 0.9, b 0.4 and keep the index in memory; Lucene merges it to one segment and does not read IDs for its hits; bm25s uses numba",
		rows: []row{
			{name: "bm25/index", work: index + ", against Lucene", against: []int{1}, ours: "index", theirs: "index"},
			{name: "bm25/search", work: search + ", against Lucene", against: []int{1}, ours: "search", theirs: "search"},
			{name: "bm25s/index", work: index + ", against bm25s", against: []int{2}, ours: "index", theirs: "index"},
			{name: "bm25s/search", work: search + ", against bm25s", against: []int{2}, ours: "search", theirs: "search"},
		},
		sides: []side{oursBy("bm25"), luceneSide(), theirsBy("bm25_bm25s", "bm25s", "bm25_bm25s.py")},
		prepare: func(_ context.Context, j *job) error {
			j.Depth = j.size(1000, 20)
			rng := rand.New(rand.NewPCG(3, 5))
			if err := writeLines(j.path("documents.txt"), zipfTexts(rng, j.size(50_000, 500), documentLengths)); err != nil {
				return err
			}
			return writeLines(j.path("queries.txt"), zipfTexts(rng, j.size(2_000, 20), []int{8}))
		},
		check: sameHits(1e-5),
	}
}

// luceneSide runs in Java.
func luceneSide() side {
	return side{name: "bm25_lucene", title: "Lucene", peer: lucene, argv: func(k *kit, dir string) []string {
		return []string{"java", fmt.Sprintf("-XX:ActiveProcessorCount=%d", k.settings.threads), "-cp", k.lucene, "Lucene", dir}
	}}
}

// checkedHits is how many documents of a query are compared.
const checkedHits = 10

func bm25Side(ctx context.Context, j *job) (map[string][]float64, error) {
	task, err := j.wordTask()
	if err != nil {
		return nil, err
	}
	bm25, err := runners.NewBM25(runners.BM25Options{})
	if err != nil {
		return nil, err
	}
	var ix *runners.BM25Index
	index, err := j.repeat(func() (err error) { ix, err = bm25.Index(ctx, task); return err })
	if err != nil {
		return nil, err
	}
	search, err := j.repeat(func() error {
		run, err := ix.Retrieve(ctx, task, j.Depth)
		if err == nil && j.Check {
			err = writeJSON(j.path("bm25.json"), hitsOf(run, len(task.Queries), checkedHits))
		}
		return err
	})
	return map[string][]float64{"index": index, "search": search}, err
}

// wordTask reads the texts of a job; documents and queries are named by their numbers.
func (j *job) wordTask() (*datasets.Task, error) {
	documents, err := readLines(j.path("documents.txt"))
	if err != nil {
		return nil, err
	}
	queries, err := readLines(j.path("queries.txt"))
	if err != nil {
		return nil, err
	}
	corpus := make(texts, len(documents))
	for i, text := range documents {
		corpus[i] = datasets.Document{ID: fmt.Sprint(i), Text: text}
	}
	task := &datasets.Task{Name: "bm25", Corpus: corpus}
	for i, text := range queries {
		task.Queries = append(task.Queries, datasets.Query{ID: queryID(i), Text: text})
	}
	return task, nil
}
