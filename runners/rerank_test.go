package runners

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
)

// scripted is a reranker that scores by document ID.
type scripted struct {
	scores map[string]float64
	err    error
}

func (scripted) Name() string { return "scripted" }

func (s scripted) Rerank(_ context.Context, _ datasets.Query, docs []datasets.Document, scores []float64) error {
	for i, d := range docs {
		scores[i] = s.scores[d.ID]
	}
	return s.err
}

func rerankTask() *datasets.Task {
	return &datasets.Task{
		Name:    "rerank",
		Corpus:  datasets.MemoryCorpus{{ID: "a", Text: "fig"}, {ID: "b", Text: "fig fig"}, {ID: "c", Text: "fig date"}, {ID: "d", Text: "date"}},
		Queries: []datasets.Query{{ID: "q", Text: "fig"}},
	}
}

func TestRerank(t *testing.T) {
	scores := scripted{scores: map[string]float64{"a": 1, "b": -2, "c": 9, "d": 99}}
	order := func(r Retriever, task *datasets.Task, depth int) []string {
		var ids []string
		for _, s := range retrieve(t, r, task, depth)["q"] {
			ids = append(ids, s.Doc)
		}
		return ids
	}
	// BM25 finds b, a, c: d never reaches the reranker.
	if got, want := order(NewRerank(mustBM25(t, BM25Options{}), scores, 100), rerankTask(), 100), []string{"c", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("after BM25: %q, want %q", got, want)
	}
	if got, want := order(NewRerank(mustBM25(t, BM25Options{}), scores, 2), rerankTask(), 100), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("after BM25 to depth 2: %q, want %q", got, want)
	}
	task := rerankTask()
	task.Candidates = map[string][]string{"q": {"a", "d", "c"}}
	task.Excluded = map[string][]string{"q": {"c"}}
	alone := NewRerank(nil, scores, 0)
	if got, want := order(alone, task, 100), []string{"d", "a"}; !slices.Equal(got, want) {
		t.Errorf("over candidates: %q, want %q", got, want)
	}
	if alone.Name() != "scripted" {
		t.Errorf("name = %q", alone.Name())
	}
}

func TestRerankErrors(t *testing.T) {
	broken := errors.New("out of memory")
	for want, r := range map[string]*Rerank{
		"no candidates":                         NewRerank(nil, scripted{}, 0),
		"out of memory":                         NewRerank(NewConstant(), scripted{err: broken}, 5),
		`score of document "b" is not a number`: NewRerank(NewConstant(), scripted{scores: map[string]float64{"b": math.NaN()}}, 5),
		"depth 0":                               NewRerank(NewConstant(), scripted{}, 0),
	} {
		if _, err := r.Retrieve(t.Context(), rerankTask(), 5); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
