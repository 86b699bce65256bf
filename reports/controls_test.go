package reports

import (
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestControls checks that a slice on which nothing may change is tested for changes and
// for equivalence to 0, and that changes are reported first in the warnings.
func TestControls(t *testing.T) {
	e := reportstest.Fixture(1)
	for i := range e.Trials {
		if e.Trials[i].Config[results.Loss] == "uni(I)" {
			reportstest.Shift(&e.Trials[i], "null", "p-MRR", -.09)
		}
	}
	r := build(t, Options{}, e)
	if warned := strings.Join(r.Warnings, "\n"); !strings.Contains(warned, "A control fails: the instructions of mini-followir/null change nothing, but uni(I) moves by -9.2 [-11.5, -6.8] in this training run (p < 0.0001 after Holm)") {
		t.Errorf("warnings %q", r.Warnings)
	}
	verdicts := map[string]int{}
	for _, row := range r.Section(r.Boards[0].ID + "-checks").Tables[1].Rows {
		verdicts[row.Entries[6].Text]++
	}
	if verdicts["changes, this run"] != 1 || verdicts["inside ±5, this run"] < 8 {
		t.Errorf("verdicts %v", verdicts)
	}
}

// TestBelowChance checks that a baseline that ranks worse than a random order is named
// with the notes on the data. If its task is made to defeat it, this is the expected
// outcome, listed separately, and a result better than chance fails.
func TestBelowChance(t *testing.T) {
	const below, fails, declared = "Below chance: bm25", "A control fails: the task is made to defeat bm25", "As expected, no better than chance where a task is made to defeat them: bm25"
	for _, c := range []struct {
		name      string
		model     string
		defeats   map[string][]string
		by        float64
		want, not []string
	}{
		{"not declared", "bm25", nil, -.4, []string{below + " ranks worse than random in", ", by -", "About the data: Posts in lay words.", "bm25: fails"}, []string{declared}},
		{"declared", "bm25", map[string][]string{"reasoning": {"untrained", "bm25"}}, -.4, []string{declared + " in nDCG@10 on mini-bright/reasoning", "as declared", "bm25: holds"}, []string{below, fails}},
		{"declared, and at chance", "bm25", map[string][]string{"reasoning": {"bm25"}}, -.17, []string{declared, "as declared", "bm25: holds"}, []string{below, fails}},
		{"declared, and above chance", "bm25", map[string][]string{"reasoning": {"bm25"}}, .4, []string{fails + ", but it ranks better than random in ", ", by +", "better than chance, against the declaration", "bm25: fails"}, []string{below, "As expected"}},
		{"a variant", "bm25-mair", map[string][]string{"reasoning": {"bm25"}}, -.4, []string{declared, "bm25-mair: holds"}, []string{below, fails}},
		{"other parameters", "bm25(k1=1,b=0.5)", map[string][]string{"reasoning": {"bm25"}}, -.4, []string{declared}, []string{below, fails}},
		{"another model that begins alike", "bm25x", map[string][]string{"reasoning": {"bm25"}}, -.4, []string{below, "bm25x: fails"}, []string{declared}},
		{"declared of another model", "bm25", map[string][]string{"reasoning": {"untrained"}}, -.4, []string{below, "bm25: fails"}, []string{declared}},
		{"declared by another task", "bm25", map[string][]string{"other": {"bm25"}}, -.4, []string{below, "bm25: fails"}, []string{declared}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := reportstest.Fixture(1)
			for i := range e.Trials {
				if e.Trials[i].Config[results.Model] == "bm25" {
					e.Trials[i].Config[results.Model] = c.model
					reportstest.Shift(&e.Trials[i], "reasoning", "nDCG@10", c.by)
				}
				for j := range e.Trials[i].Provenance.Benchmarks {
					if b := &e.Trials[i].Provenance.Benchmarks[j]; b.Name == "mini-bright" {
						b.Tasks, b.Defeats = map[string]string{"reasoning": "Posts in lay words."}, c.defeats
					}
				}
			}
			r := build(t, Options{}, e)
			said := strings.Join(r.Warnings, "\n")
			for _, b := range r.Boards {
				for _, table := range b.controls {
					for _, row := range table.Rows {
						for _, entry := range row.Entries {
							said += "\n" + entry.Text
						}
					}
				}
				words, _ := b.failing()
				answer := b.asked("")
				said += "\n" + words + "\n" + controlsTerm([]*answerBoard{answer}).Text + "\n" + c.model + ": " + map[bool]string{true: "fails", false: "holds"}[slices.Contains(answer.Failed, c.model)]
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in\n%s", want, said)
				}
			}
			for _, not := range c.not {
				if strings.Contains(said, not) {
					t.Errorf("%q in\n%s", not, said)
				}
			}
		})
	}
}

// TestOneRunIsSaid checks that a sentence on systems with one training run states this.
func TestOneRunIsSaid(t *testing.T) {
	lead := strings.Join(build(t, Options{}, reportstest.Fixture(1)).Lead, "\n")
	if !strings.Contains(lead, "instruction pairs, Holm-corrected p ≤ 0.05). Each was trained once; another seed may change the verdict.") {
		t.Errorf("one run: %s", lead)
	}
	if lead := strings.Join(build(t, Options{}, reportstest.Fixture(2)).Lead, "\n"); strings.Contains(lead, "trained once") {
		t.Errorf("two runs: %s", lead)
	}
}
