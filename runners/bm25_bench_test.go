package runners

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/datasets"
)

// generated is a task of n documents with about 100 words each and queries of 8 words. Words
// are drawn from 50,000 by Zipf's law, and a quarter of them have a plural ending.
func generated(n, queries int) *datasets.Task {
	rng := rand.New(rand.NewPCG(3, 5))
	word := func() string {
		rank := int(math.Exp(rng.Float64() * math.Log(50_000)))
		if rng.IntN(4) == 0 {
			return fmt.Sprintf("w%sings", strings.Repeat("ab", rank%3)+fmt.Sprint(rank))
		}
		return fmt.Sprintf("w%s", strings.Repeat("ab", rank%3)+fmt.Sprint(rank))
	}
	text := func(words int) string {
		var b strings.Builder
		for range words {
			b.WriteString(word() + " ")
		}
		return b.String()
	}
	task := &datasets.Task{Name: "generated"}
	corpus := make(datasets.MemoryCorpus, n)
	for i := range corpus {
		corpus[i] = datasets.Document{ID: fmt.Sprintf("d%d", i), Title: text(5), Text: text(60 + rng.IntN(80))}
	}
	task.Corpus = corpus
	for i := range queries {
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprintf("q%d", i), Text: text(8)})
	}
	return task
}

func BenchmarkBM25Index(b *testing.B) {
	task := generated(50_000, 1)
	for b.Loop() {
		if _, err := buildIndex(b.Context(), task, knownBM25()[0]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(task.Corpus.Len()*b.N)/b.Elapsed().Seconds(), "documents/s")
}

func BenchmarkBM25Search(b *testing.B) {
	task := generated(50_000, 2000)
	r := mustBM25(b, BM25Options{})
	ix, err := buildIndex(b.Context(), task, knownBM25()[0])
	if err != nil {
		b.Fatal(err)
	}
	sc, err := NewScope(task, ix.ids)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := r.search(b.Context(), task, sc, ix, 1000); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(task.Queries)*b.N)/b.Elapsed().Seconds(), "queries/s")
}
