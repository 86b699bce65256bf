package reports

import (
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestControls: a slice on which nothing may move is tested for moving and for being
// as good as 0; what moves is warned of first.
func TestControls(t *testing.T) {
	e := reportstest.Fixture(1)
	for i := range e.Trials {
		if e.Trials[i].Config[results.Loss] == "uni(I)" {
			reportstest.Shift(&e.Trials[i], "null", "p-MRR", -.09)
		}
	}
	r := build(t, Options{}, e)
	if warned := strings.Join(r.Warnings, "\n"); !strings.Contains(warned, "A control fails: uni(I) moves mini-followir/null, where nothing may move, by -9.2 [-11.5, -6.8], this run (p < 0.0001 after Holm)") {
		t.Errorf("warnings %q", r.Warnings)
	}
	verdicts := map[string]int{}
	for _, row := range r.Section(r.Boards[0].ID + "-checks").Tables[1].Rows {
		verdicts[row.Entries[6].Text]++
	}
	if verdicts["moves, this run"] != 1 || verdicts["inside ±5, this run"] < 8 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestBelowChance: a baseline that ranks worse than a drawn order is named, with what
// the data say of themselves.
func TestBelowChance(t *testing.T) {
	e := reportstest.Fixture(1)
	for i := range e.Trials {
		if e.Trials[i].Config[results.Model] == "bm25" {
			reportstest.Shift(&e.Trials[i], "reasoning", "nDCG@10", -.4)
		}
		for j := range e.Trials[i].Provenance.Benchmarks {
			if b := &e.Trials[i].Provenance.Benchmarks[j]; b.Name == "mini-bright" {
				b.Tasks = map[string]string{"reasoning": "Posts in lay words."}
			}
		}
	}
	warned := strings.Join(build(t, Options{}, e).Warnings, "\n")
	if !strings.Contains(warned, "Below chance: bm25 is -") || !strings.Contains(warned, "Of the data: Posts in lay words.") {
		t.Errorf("warnings: %s", warned)
	}
}

// TestOneRunIsSaid: a sentence on systems that were trained once says so.
func TestOneRunIsSaid(t *testing.T) {
	lead := strings.Join(build(t, Options{}, reportstest.Fixture(1)).Lead, "\n")
	if !strings.Contains(lead, "instruction pairs, one training run each and said of that run, Holm") {
		t.Errorf("one run: %s", lead)
	}
	if lead := strings.Join(build(t, Options{}, reportstest.Fixture(2)).Lead, "\n"); strings.Contains(lead, "one training run") {
		t.Errorf("two runs: %s", lead)
	}
}
