package trec

import (
	"slices"
	"testing"
)

// A document gets the score of its best passage, wherever in the ranking; ties are broken by
// ID. An ID without the mark is its own document, and ranking twice changes nothing.
func TestBestPassages(t *testing.T) {
	run := Run{"1": {{"a:0", 1}, {"b:2", 3}, {"a:1:x", 2}, {"c", 2}, {"b:0", 1}}, "2": {}}
	want := Ranking{{"b", 3}, {"c", 2}, {"a", 2}}
	got := run.BestPassages(":")
	if !slices.Equal(got["1"], want) || len(got) != 2 || len(got["2"]) != 0 {
		t.Errorf("%v, want %v", got, want)
	}
	if again := got.BestPassages(":"); !slices.Equal(again["1"], want) {
		t.Errorf("again %v", again)
	}
	if run["1"][0].Doc != "a:0" {
		t.Error("the run of passages was changed")
	}
}
