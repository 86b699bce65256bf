package runners

import (
	"math"
	"testing"
)

// TestDeviate: a retriever does not deviate from itself, and noise of a known size is measured.
func TestDeviate(t *testing.T) {
	task, e := randomTable(50, 7, 8)
	exact := NewDense("exact", e, DenseOptions{Similarity: Dot})
	run, err := exact.Retrieve(t.Context(), task, 20)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Deviate(t.Context(), exact, task, run, 100, 5)
	if err != nil || same != (Deviation{Queries: 7, Pairs: 35}) {
		t.Errorf("a retriever deviates from itself by %+v, %v", same, err)
	}
	for id, ranking := range run {
		for i := range ranking {
			run[id][i].Score += .5
		}
	}
	run[task.Queries[0].ID][0].Score += 1 // 1.5 in total
	d, err := Deviate(t.Context(), exact, task, run, 3, 5)
	want := Deviation{Queries: 3, Pairs: 15, Mean: (14*.5 + 1.5) / 15, Max: 1.5}
	if err != nil || d.Queries != want.Queries || d.Pairs != want.Pairs || math.Abs(d.Mean-want.Mean) > 1e-9 || d.Max != want.Max {
		t.Errorf("deviation %+v, %v, want %+v", d, err, want)
	}
}
