package site

import (
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// A history uses the same names as a gate: for the numbers of the board, and for the single tasks
// of systems that were run once.
func TestPast(t *testing.T) {
	run := func(seed string) results.Trial {
		config := map[string]string{"model": "tiny-bert", "loss": "uni(P)", "seed": seed}
		trial := reportstest.TrialOf("t"+seed, config, reportstest.At("made", "one", "", "nDCG@10", "q1", .4), reportstest.At("made", "two", "", "nDCG@10", "q1", .6))
		trial.Provenance.Benchmarks = []results.Benchmark{{Name: "made", Synthetic: true, Revision: "r1"}}
		return trial
	}
	record := func(trials ...results.Trial) []Commit {
		h, err := Record(nil, Push{Commit: "a", Results: []*results.Experiment{{Name: "x", Trials: trials}}})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	once := Past(record(run("7")))
	got := map[string]float64{}
	for _, v := range once[0].Values {
		got[v.System+", "+v.Number] = v.Value
	}
	for number, want := range map[string]float64{"uni(P), nDCG@10 on made (mean of 2 tasks)": .5, "uni(P), nDCG@10 on made/one": .4, "uni(P), nDCG@10 on made/two": .6} {
		if got[number] != want {
			t.Errorf("%s: %v, want %v; has %v", number, got[number], want, got)
		}
	}
	if once[0].Seeds["uni(P)"] != "7" {
		t.Errorf("seeds %v", once[0].Seeds)
	}
	if twice := Past(record(run("7"), run("8"))); len(twice[0].Values) != 1 || twice[0].Seeds["uni(P)"] != "7,8" {
		t.Errorf("of two runs: %+v", twice)
	}
	if before := Past(Until(record(run("7")), "a")); len(before) != 0 {
		t.Errorf("before its own commit: %+v", before)
	}
}
