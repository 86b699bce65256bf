package runners_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"infbench/datasets"
	"infbench/internal/progress"
	"infbench/runners"
)

// slow is an encoder that reports the half of each of its calls.
type slow struct{}

func (slow) Dim() int { return 2 }
func (slow) EncodeQueries(ctx context.Context, queries, _ []string, dst []float32) error {
	return slow{}.encode(ctx, len(queries), dst)
}
func (slow) EncodeDocuments(ctx context.Context, titles, _ []string, dst []float32) error {
	return slow{}.encode(ctx, len(titles), dst)
}
func (slow) encode(ctx context.Context, n int, dst []float32) error {
	progress.Report(ctx, 0.5)
	for i := range dst {
		dst[i] = float32(1 + i%3)
	}
	return nil
}

// pairs scores pairs of query and document by their order.
type pairs struct{}

func (pairs) Name() string { return "pairs" }
func (pairs) Rerank(ctx context.Context, _ datasets.Query, docs []datasets.Document, scores []float64) error {
	progress.Report(ctx, 0.5)
	for i := range docs {
		scores[i] = float64(i)
	}
	return nil
}

// TestProgressWithinTask: a long ranking reports the share that is done, to its end.
func TestProgressWithinTask(t *testing.T) {
	var docs []datasets.Document
	for i := range 8 {
		docs = append(docs, datasets.Document{ID: fmt.Sprint(i), Text: fmt.Sprint("text ", i)})
	}
	task := &datasets.Task{Name: "t", Corpus: datasets.MemoryCorpus(docs), Queries: []datasets.Query{{ID: "a", Text: "one"}, {ID: "b", Text: "two"}}}
	dense := runners.NewDense("slow", slow{}, runners.DenseOptions{BatchSize: 4})
	for name, c := range map[string]struct {
		model runners.Retriever
		want  []float64
	}{
		"dense":  {dense, []float64{0.25, 0.5, 0.75, 1}},
		"rerank": {runners.NewRerank(dense, pairs{}, 3), []float64{0.25, 0.5, 0.75, 1}},
	} {
		var got []float64
		ctx := progress.With(context.Background(), func(share float64) { got = append(got, share) })
		if _, err := c.model.Retrieve(ctx, task, 3); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v (%v)", name, got, c.want, err)
		}
	}
}
