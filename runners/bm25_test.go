package runners

import (
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

func mustBM25(t testing.TB, opts BM25Options) *BM25 {
	t.Helper()
	r, err := NewBM25(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func retrieve(t testing.TB, r Retriever, task *datasets.Task, depth int) trec.Run {
	t.Helper()
	run, err := r.Retrieve(t.Context(), task, depth)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
