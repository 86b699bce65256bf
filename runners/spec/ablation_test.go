package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const ablated = "name: x\nevaluate: [mini-followir]\nbaselines: [untrained]\nbase: {BASE}\nmatrix: {loss: [\"multi(P,I)\"], MATRIX}\n"

func ablationSource(base, matrix string) string {
	return strings.NewReplacer("BASE", base, "MATRIX", matrix).Replace(ablated)
}

// A value that leaves the data complete is not part of an ID, and baselines have no ablation.
func TestAblationAndIdentity(t *testing.T) {
	ids := func(base, matrix string) (all []string) {
		for _, c := range plan(t, ablationSource(base, matrix)).Trials {
			all = append(all, c.ID)
		}
		return all
	}
	want := ids("", "seed: [1]")
	for _, base := range []string{"drop: none", "drop: ''", "share: 1", "share: 1.0", "train: {steps_of: mini-infir}", "train: {steps: 0}"} {
		if got := ids(base, "seed: [1]"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", base, got, want)
		}
	}
	seen := map[string]string{want[0]: "nothing"}
	for _, base := range []string{"drop: I-", "drop: Q-", "drop: P-", "drop: 'Q-, I-'", "share: 0.5", "share: 50", "judge: majority",
		"train: {steps: 300}", "train: {steps_of: other}", "drop: I-, train: {steps_of: mini-infir}"} {
		got := ids(base, "seed: [1]")
		if other, known := seen[got[0]]; known || got[1] != want[1] {
			t.Errorf("%s is %s, as is %s; its baseline %s, want %s", base, got[0], other, got[1], want[1])
		}
		seen[got[0]] = base
	}
	if got := ids("", "drop: [none, I-, 'I-,Q-'], share: [0.25, 1]"); len(got) != 7 || !slices.Contains(got, want[0]) {
		t.Errorf("%d cells of two axes, the whole one among them: %v", len(got), got)
	}
}

// Epochs and steps replace each other; the one closer to the cell counts.
func TestLengths(t *testing.T) {
	for _, c := range []struct{ base, matrix, want string }{
		{"", "seed: [1]", "2 epochs, 0 steps"},
		{"train: {steps: 300}", "seed: [1]", "0 epochs, 300 steps"},
		{"train: {epochs: 5}", "train.steps: [300, 600]", "0 epochs, 300 steps; 0 epochs, 600 steps"},
		{"train: {steps: 300}", "train.epochs: [1, 2]", "1 epochs, 0 steps; 2 epochs, 0 steps"},
		{"train: {epochs: 5, steps_of: other}", "seed: [1]", "5 epochs, 0 steps, of other"},
		{"train: {steps_of: other}", "train.steps: [300]", "0 epochs, 300 steps"},
		{"data: other", "train.steps_of: ['', mini-infir]", "2 epochs, 0 steps; 2 epochs, 0 steps, of mini-infir"},
	} {
		var got []string
		for _, trial := range plan(t, ablationSource(c.base, c.matrix)).Trials {
			if l := trial.Cell.Train; trial.Cell.Model == Trained {
				text := fmt.Sprintf("%d epochs, %d steps", l.Epochs, l.Steps)
				if l.StepsOf != "" {
					text += ", of " + l.StepsOf
				}
				got = append(got, text)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("base {%s}, matrix {%s}: %s, want %s", c.base, c.matrix, text, c.want)
		}
	}
}

// The data that gives the steps is pinned. It is in the label if some cells count on their own
// data.
func TestStepsOfIsPinned(t *testing.T) {
	p := plan(t, ablationSource("data: other", "train.steps_of: ['', mini-infir]"))
	last := p.Trials[1]
	if names := fmt.Sprint(last.Revisions); !strings.Contains(names, "{mini-infir ") || !strings.Contains(names, "{other ") {
		t.Errorf("pinned are %s", names)
	}
	if last.Label != "multi(P,I) train.steps_of=mini-infir" {
		t.Errorf("label %q", last.Label)
	}
}

func TestAblationFaults(t *testing.T) {
	for _, c := range []struct{ base, matrix, want string }{
		{"drop: I", "seed: [1]", `x.yaml:4:14: unknown poisoned part "I"; did you mean "I-"?`},
		{"share: -0.1", "seed: [1]", "x.yaml:4:15: share -0.1: want a share"},
		{"share: 2.5", "seed: [1]", "x.yaml:4:15: share 2.5: want a share"},
		{"share: .nan", "seed: [1]", "x.yaml:4:15: share: want a finite number"},
		{"", "share: [0.5, x]", `x.yaml:5:45: share: want a finite number, found "x"`},
		{"shares: 0.5", "seed: [1]", `x.yaml:4:8: unknown key "shares"; did you mean "share"?`},
		{"train: {steps: -1}", "seed: [1]", "x.yaml:4:23: steps -1: want at least 1"},
		{"train: {epochs: 2, steps: 100}", "seed: [1]", "epochs 2 and steps 100: both set the length of training, give one"},
		{"train: {steps: 100, steps_of: mini-infir}", "seed: [1]", "steps_of mini-infir and steps 100: both set the number of steps, give one"},
		{"train: {steps_of: mini-infi}", "seed: [1]", `steps_of: unknown training data "mini-infi"; did you mean "mini-infir"?`},
		{"", "train.steps: [100], train.epochs: [2]", "x.yaml:5:9: matrix: train.steps together with train.epochs or train.steps_of: vary one"},
		{"train: {steps: 100}", "train.steps_of: [other]", "train.steps 100 and train.steps_of other: both set the number of steps"},
	} {
		e, err := parse("x.yaml", []byte(ablationSource(c.base, c.matrix)), testKnown)
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("base {%s}, matrix {%s}: %v, want %s", c.base, c.matrix, err, c.want)
		}
	}
}

// A setting on the command line may not silently replace one that cells vary.
func TestSetLength(t *testing.T) {
	e, err := parse("x.yaml", []byte(ablationSource("", "train.epochs: [1, 2]")), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	if err := testKnown.override(e, "train.steps=5"); err == nil || !strings.Contains(err.Error(), "--set train.steps=5: the experiment varies train.epochs, and train.steps would replace it") {
		t.Error(err)
	}
}
