package reports

import (
	"math"
	"slices"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

func viewOf(t *testing.T, trials ...results.Trial) *scores.Set {
	t.Helper()
	v, err := scores.New([]*results.Experiment{{Name: "e", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRealmsAndRevisions checks that data of another kind or revision is another
// benchmark, and that contradicting records are rejected.
func TestRealmsAndRevisions(t *testing.T) {
	with := func(id, revision string, synthetic bool) results.Trial {
		tr := reportstest.TrialOf(id, map[string]string{"model": id}, reportstest.At("B", "x", "", "AP", "1", .2))
		tr.Provenance.Benchmarks = []results.Benchmark{{Name: "B", Revision: revision, Synthetic: synthetic}}
		return tr
	}
	v := viewOf(t, with("a", "one", true), with("b", "two", false), reportstest.TrialOf("c", map[string]string{"model": "c"}, reportstest.At("C", "x", "", "AP", "1", .2)))
	for realm, want := range map[scores.Realm][]string{scores.Synthetic: {"B @one"}, scores.Real: {"B @two"}, scores.Unrecorded: {"C"}} {
		if got := v.InRealm(realm); !slices.Equal(got, want) {
			t.Errorf("%s benchmarks = %q, want %q", realm, got, want)
		}
	}
	for name, trials := range map[string][]results.Trial{
		"both realms":      {with("a", "one", true), with("b", "one", false)},
		"query twice":      {reportstest.TrialOf("a", nil, reportstest.At("B", "x", "", "AP", "1", .2), reportstest.At("B", "x", "", "AP", "1", .3))},
		"infinite value":   {reportstest.TrialOf("a", nil, reportstest.At("B", "x", "", "AP", "1", math.Inf(1)))},
		"no trials at all": {},
	} {
		if _, err := Build([]*results.Experiment{{Trials: trials}}, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
