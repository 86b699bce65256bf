package scores_test

import (
	"fmt"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestSharedQueries checks that trials with the same queries share one list, which does
// not change when other trials are added, in any order.
func TestSharedQueries(t *testing.T) {
	at := func(measure, query string, v float64) reportstest.Value {
		return reportstest.At("b", "t", "", measure, query, v)
	}
	e := &results.Experiment{Name: "e", Trials: []results.Trial{
		reportstest.TrialOf("1", map[string]string{"model": "1"}, at("AP", "a", .1), at("AP", "b", .2)),
		reportstest.TrialOf("2", map[string]string{"model": "2"}, at("AP", "a", .3), at("AP", "b", .4), at("RR", "a", 1), at("AP", "c", .5)),
		reportstest.TrialOf("3", map[string]string{"model": "3"}, at("AP", "b", .7), at("AP", "a", .6)),
		reportstest.TrialOf("4", map[string]string{"model": "4"}, at("AP", "a", .8), at("AP", "b", .9)),
	}}
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	slot := scores.Slot{Benchmark: "b", Task: "t", Measure: "AP"}
	for i, want := range []string{"[a b] [0.1 0.2]", "[a b c] [0.3 0.4 0.5]", "[a b] [0.6 0.7]", "[a b] [0.8 0.9]"} {
		have := v.Trials[i].Scores[slot]
		if got := fmt.Sprint(have.Queries, " ", have.Values); got != want {
			t.Errorf("trial %d has %s, want %s", i+1, got, want)
		}
	}
	if a, b := v.Trials[2].Scores[slot].Queries, v.Trials[3].Scores[slot].Queries; &a[0] != &b[0] {
		t.Error("two lists of the same queries")
	}
}
