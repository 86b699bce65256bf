package trial

import (
	"context"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// counter ranks and counts its calls.
type counter struct{ asked int }

func (*counter) Name() string { return "counter" }

func (c *counter) Retrieve(_ context.Context, t *datasets.Task, _ int) (trec.Run, error) {
	c.asked++
	return trec.Run{t.Queries[0].ID: {{Doc: "a", Score: 2}, {Doc: "b", Score: 1}}}, nil
}

// Benchmarks with the same tasks and different judgments are ranked once, and each is scored
// with its own judgments. A benchmark with different queries is ranked separately.
func TestRankedOnce(t *testing.T) {
	benchmark := func(name, text, relevant string) *datasets.Benchmark {
		return &datasets.Benchmark{Name: name, Tasks: []datasets.Task{{Name: "core17", Queries: []datasets.Query{{ID: "q", Text: text}},
			Corpus: datasets.MemoryCorpus{{ID: "a"}, {ID: "b"}}, Qrels: trec.Qrels{"q": {relevant: 1}}, Scorings: []datasets.Scoring{{Measure: "RR"}}}}}
	}
	c, at := &counter{}, results.At(t.TempDir())
	e := Evaluation{Trial: &results.Trial{}, Model: c, Done: func() {},
		Data: []*datasets.Benchmark{benchmark("followir", "x", "a"), benchmark("followir-mteb1", "x", "b"), benchmark("other", "y", "a")}}
	if err := e.measure(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	scores := e.Trial.Results
	if c.asked != 2 || len(scores) != 3 || *scores[0].Value != 1 || *scores[1].Value != .5 || *scores[2].Value != 1 {
		t.Errorf("asked %d times: %+v", c.asked, scores)
	}
}
