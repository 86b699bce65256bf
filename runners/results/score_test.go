package results

import (
	"fmt"
	"slices"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// ranking ranks documents in the given order.
func ranking(docs ...string) trec.Ranking {
	var r trec.Ranking
	for i, d := range docs {
		r = append(r, trec.Scored{Doc: d, Score: float64(-i)})
	}
	return r
}

// Expected values are computed by hand.
func TestScore(t *testing.T) {
	task := &datasets.Task{
		Name:    "pairs",
		Queries: []datasets.Query{{ID: "1-og"}, {ID: "1-changed"}, {ID: "2-og"}, {ID: "2-changed"}},
		Qrels: trec.Qrels{
			"1-og": {"a": 1, "b": 1}, "1-changed": {"a": 1},
			"2-og": {"c": 1}, "2-changed": {"c": 1},
		},
		Pairs: []datasets.Pair{
			{ID: "1", Original: "1-og", Changed: "1-changed", Moved: []string{"b"}},
			{ID: "2", Original: "2-og", Changed: "2-changed"}, // nothing moved: p-MRR is undefined
		},
		Scorings: []datasets.Scoring{
			{Measure: "p-MRR"}, {Measure: "AP", Side: datasets.Original}, {Measure: "AP", Side: datasets.Changed},
		},
	}
	run := trec.Run{
		"1-og":      ranking("b", "a", "x"),
		"1-changed": ranking("a", "x", "b"), // b falls from rank 1 to 3: p-MRR 1 - 1/3
		"2-og":      ranking("x", "c"),
		// The run has no ranking for 2-changed: AP is 0, as trec_eval -c scores it.
	}
	got, err := Score("bench", task, run)
	if err != nil {
		t.Fatal(err)
	}
	value := func(v float64) *float64 { return &v }
	want := []Result{
		{Benchmark: "bench", Task: "pairs", Query: "1", Side: "", Measure: "p-MRR", Value: value(1 - 1.0/3)},
		{Benchmark: "bench", Task: "pairs", Query: "2", Side: "", Measure: "p-MRR", Value: nil, Unranked: true},
		{Benchmark: "bench", Task: "pairs", Query: "1", Side: datasets.Original, Measure: "AP", Value: value(1)},
		{Benchmark: "bench", Task: "pairs", Query: "2", Side: datasets.Original, Measure: "AP", Value: value(0.5)},
		{Benchmark: "bench", Task: "pairs", Query: "1", Side: datasets.Changed, Measure: "AP", Value: value(1)},
		{Benchmark: "bench", Task: "pairs", Query: "2", Side: datasets.Changed, Measure: "AP", Value: value(0), Unranked: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		same := (g.Value == nil) == (w.Value == nil) && (g.Value == nil || *g.Value-*w.Value < 1e-12 && *w.Value-*g.Value < 1e-12)
		g.Value, w.Value = nil, nil
		if g != w || !same {
			t.Errorf("result %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// A run covers a task completely if it ranks every query of each scoring.
func TestPartCovered(t *testing.T) {
	results := []Result{
		{Benchmark: "b", Task: "whole", Query: "1"}, {Benchmark: "b", Task: "part", Query: "1"},
		{Benchmark: "b", Task: "part", Query: "2", Measure: "AP", Unranked: true}, {Benchmark: "b", Task: "part", Query: "2", Measure: "RR"},
		{Benchmark: "b", Task: "part", Query: "3", Unranked: true},
	}
	if got := PartCovered(results); len(got) != 1 || got[0] != (Coverage{"b", "part", 1, 3}) {
		t.Errorf("%+v", got)
	}
	groups := append(results, Result{Benchmark: "b", Task: "part", Query: "of 1 and 2", Measure: "PairedAccuracy", Unranked: true},
		Result{Benchmark: "b", Task: "paired", Query: "of 1 and 2", Measure: "PairedAccuracy", Unranked: true})
	if got := PartCovered(groups); len(got) != 2 || got[0] != (Coverage{"b", "part", 1, 3}) || got[1] != (Coverage{"b", "paired", 0, 1}) {
		t.Errorf("with measures of groups: %+v", got)
	}
	if got := PartCovered(results[:2]); got != nil {
		t.Errorf("of whole tasks: %+v", got)
	}
}

func TestScoreRefusesUnknownMeasures(t *testing.T) {
	task := &datasets.Task{Name: "t", Scorings: []datasets.Scoring{{Measure: "nDGC@10"}}}
	if _, err := Score("b", task, nil); err == nil {
		t.Error("an unknown measure was accepted")
	}
}

// PairedAccuracy has one result for each pair: 1 if both questions have their passage first
// (Weller et al. 2023). A question without its partner has none.
func TestScorePairsOfQueries(t *testing.T) {
	task := &datasets.Task{Name: "nevir", Scorings: []datasets.Scoring{{Measure: "PairedAccuracy"}, {Measure: "R@1"}}, Qrels: trec.Qrels{}}
	run := trec.Run{}
	for _, q := range []struct{ id, answer, first string }{
		{"a_q1", "x", "x"}, {"a_q2", "y", "y"}, {"b_q1", "x", "x"}, {"b_q2", "y", "x"}, {"c_q1", "x", ""}, {"c_q2", "y", "y"}, {"lone_q1", "x", "x"},
	} {
		task.Queries = append(task.Queries, datasets.Query{ID: q.id})
		task.Qrels[q.id] = map[string]int{q.answer: 1}
		if q.first != "" {
			run[q.id] = trec.Ranking{{Doc: q.first, Score: 1}}
		}
	}
	all, err := Score("nevir", task, run)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range all {
		said = append(said, fmt.Sprintf("%s %s %v %v", r.Measure, r.Query, *r.Value, r.Unranked))
	}
	want := []string{"PairedAccuracy a 1 false", "PairedAccuracy b 0 false", "PairedAccuracy c 0 true",
		"R@1 a_q1 1 false", "R@1 a_q2 1 false", "R@1 b_q1 1 false", "R@1 b_q2 0 false", "R@1 c_q1 0 true", "R@1 c_q2 1 false", "R@1 lone_q1 1 false"}
	if !slices.Equal(said, want) {
		t.Errorf("%q\nwant %q", said, want)
	}
}
