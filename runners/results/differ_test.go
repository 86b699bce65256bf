package results

import "testing"

// A model that found nothing for a query has an empty ranking, which a run file cannot contain.
// Scored again from the file, the value is the same.
func TestDifferOfEmptyRankings(t *testing.T) {
	zero, one := 0.0, 1.0
	saved := []Result{{Benchmark: "b", Task: "t", Query: "q1", Measure: "AP", Value: &zero}, {Benchmark: "b", Task: "t", Query: "q2", Measure: "AP", Value: &one}}
	again := []Result{{Benchmark: "b", Task: "t", Query: "q1", Measure: "AP", Value: &zero, Unranked: true}, saved[1]}
	if differ := Differ(saved, again); len(differ) > 0 {
		t.Errorf("%q", differ)
	}
	again[1].Value = &zero
	if differ := Differ(saved, again); len(differ) != 1 {
		t.Errorf("another value: %q", differ)
	}
}
