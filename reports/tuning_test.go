package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/reports/scores"
	"infbench/runners/results"
)

// trial returns a finished run of a loss at a learning rate.
func trial(experiment, loss, lr string, more ...string) results.Trial {
	c := results.Config{results.Loss: loss, results.Model: "tiny", results.Backbone: "tiny", results.LearningRate: lr, "train.epochs": "2", results.Fidelity: "recommended", results.Seed: "1", results.World: "1"}
	for i := 0; i < len(more); i += 2 {
		c[more[i]] = more[i+1]
	}
	v := .5
	return results.Trial{ID: fmt.Sprint(experiment, loss, lr, more), State: results.Done, Config: c,
		Results: []results.Result{{Benchmark: "b", Task: "t", Query: "q", Measure: "AP", Value: &v}}}
}

// pick marks the trial with that rate as chosen for its loss.
func pick(trials []results.Trial, loss, lr string, among int) {
	for i := range trials {
		if c := trials[i].Config; c[results.Loss] == loss && c[results.LearningRate] == lr {
			trials[i].Selection = results.Selection{On: "validation", Measure: "p-MRR", Among: among, Per: results.Loss}
		}
	}
}

func setOf(t *testing.T, trials ...results.Trial) *scores.Set {
	t.Helper()
	v, err := scores.New([]*results.Experiment{{Name: "x", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tuningTexts returns the rows of the section as texts.
func tuningTexts(t *testing.T, v *scores.Set) []string {
	t.Helper()
	var out []string
	for _, r := range tuningSection("x", v).Tables[0].Rows {
		var cells []string
		for _, e := range r.Entries {
			cells = append(cells, e.Text)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

// TestTuning tries every loss at its rates and chooses one. It checks the number of tried
// configurations and the position of the choice in the grid, compared as numbers and not
// as text, and the note on unequal tuning.
func TestTuning(t *testing.T) {
	trials := []results.Trial{trial("x", "uni(P)", "1e-3"), trial("x", "uni(P)", "0.01"), trial("x", "uni(P)", "5e-4"),
		trial("x", "uni(I)", "1e-3"), trial("x", "uni(I)", "0.01"), trial("x", "uni(I)", "5e-4")}
	pick(trials, "uni(P)", "1e-3", 3)
	pick(trials, "uni(I)", "0.01", 3)
	want := []string{
		"uni(P) train.lr=1e-3, selected on validation | 3 | by p-MRR on validation | train.lr: 5e-4, 1e-3, 0.01 | no",
		"uni(I) train.lr=0.01, selected on validation | 3 | by p-MRR on validation | train.lr: 5e-4, 1e-3, 0.01 | train.lr = 0.01, the largest",
	}
	v := setOf(t, trials...)
	if got := tuningTexts(t, v); !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if notes := tuningNotes(v); notes != nil {
		t.Errorf("equally tuned: %q", notes)
	}
	for name, c := range map[string]struct {
		trials []results.Trial
		want   string
	}{
		"fewer": {trials[:5], "Unequally tuned (not as often): uni(P) train.lr=1e-3, selected on validation of 3 configurations, uni(I) train.lr=0.01, selected on validation of 2 configurations."},
		"other": {append(slices.Clone(trials[:5]), trial("x", "uni(I)", "0.1")), "Unequally tuned (on other values): "},
	} {
		pick(c.trials, "uni(I)", "0.01", len(c.trials)-3)
		if notes := tuningNotes(setOf(t, c.trials...)); len(notes) != 1 || !strings.HasPrefix(notes[0], c.want) {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// TestTuningWithoutPick checks that without a pick, systems that differ only in numeric
// training settings are one method, and all are shown. The settings of an objective are
// not tuning.
func TestTuningWithoutPick(t *testing.T) {
	one := setOf(t, trial("x", "uni(P)", "1e-3"), trial("x", "uni(I)", "1e-3"), trial("x", "uni(I)", "1e-3", results.Fidelity, "paper"))
	if got := tuningTexts(t, one); len(got) != 3 || got[0] != "uni(P) train.fidelity=recommended | 1 | nothing to choose |  | –" || tuningNotes(one) != nil {
		t.Errorf("%q, %q", got, tuningNotes(one))
	}
	more := setOf(t, trial("x", "uni(P)", "1e-3"), trial("x", "uni(P)", "1e-2"), trial("x", "uni(I)", "1e-3"))
	if got := tuningTexts(t, more); len(got) != 2 || got[0] != "uni(P) train.lr=1e-3 and 1 more | 2 | none: all are shown | train.lr: 1e-3, 1e-2 | –" || len(tuningNotes(more)) != 1 {
		t.Errorf("%q, %q", got, tuningNotes(more))
	}
	if s := tuningSection("x", setOf(t)); !s.Empty() {
		t.Errorf("nothing trained: %+v", s)
	}
}

func TestObjectives(t *testing.T) {
	for _, c := range []struct {
		trials []results.Trial
		want   []string
	}{
		{[]results.Trial{trial("x", "uni(P)", "1e-3", "train.instruction_negatives.divisor", "4")}, []string{"Trained systems: objective recommended with train.instruction_negatives.divisor = 4: the reference code without its false negatives"}},
		{[]results.Trial{trial("x", "uni(P)", "1e-3", "train.hardness.alpha", "5"), trial("x", "uni(P)", "1e-3")}, []string{"Trained systems: objective recommended with train.hardness.alpha = 5 (1 of 2): "}},
		{[]results.Trial{trial("x", "uni(P)", "1e-3"), trial("x", "uni(P)", "1e-3", results.Fidelity, "paper")}, []string{"1 trained system: objective recommended: ", "1 trained system: objective paper: the equations"}},
		{[]results.Trial{trial("x", "uni(P)", "1e-3", results.Fidelity, "")}, []string{"Trained systems: the preset of the objective (train.fidelity) is not recorded."}},
	} {
		got := objectiveNotes(setOf(t, c.trials...))
		if len(got) != len(c.want) {
			t.Errorf("%q, want %q", got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%q, want %q", got[i], want)
			}
		}
	}
}
