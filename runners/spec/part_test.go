package spec

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const partSource = `name: x
evaluate: [mini-followir]
bases:
  slow: {train: {epochs: 9}}
  quick: {loss: uni(I), design: {pooling: cls}}
matrix: {seed: [1, 2]}
baselines: [untrained, bm25]
`

// A part has the named trials, with their IDs in the complete plan.
func TestOnly(t *testing.T) {
	whole := plan(t, partSource)
	for _, c := range []struct {
		only []string
		want string
	}{
		{[]string{"seed=1"}, "uni(P) seed=1"},
		{[]string{"model=bm25"}, "bm25"},
		{[]string{"model=bm25,trained", "base=quick"}, "uni(I)"},
		{[]string{"loss=uni(P),uni(I)", "seed=2"}, "uni(P) seed=2"},
		{[]string{"base=slow"}, "uni(P) seed=1"},
		{[]string{"design.pooling=cls"}, "uni(I) seed=1"},
		{[]string{"train.epochs=9"}, "uni(P) seed=1"},
	} {
		part, err := whole.Only(c.only, testKnown.canonical)
		if err != nil {
			t.Errorf("%v: %v", c.only, err)
			continue
		}
		if !strings.Contains(labels(part), c.want) || len(part.Trials) >= len(whole.Trials) {
			t.Errorf("%v: %s, want %s among them", c.only, labels(part), c.want)
		}
		for _, trial := range part.Trials {
			if same, ok := whole.Trial(trial.ID); !ok || same.Label != trial.Label {
				t.Errorf("%v: trial %s %s is none of the plan", c.only, trial.ID, trial.Label)
			}
		}
		path := filepath.Join(t.TempDir(), "plan.json")
		if err := part.Write(path); err != nil {
			t.Fatal(err)
		}
		if read, err := ReadPlan(path); err != nil || !reflect.DeepEqual(read.Part, part.Part) {
			t.Errorf("%v: read back as %+v, %v", c.only, read, err)
		}
		if said := strings.Join(part.Remarks(), " "); !strings.Contains(said, "of 9 trials; --only "+c.only[0]) {
			t.Errorf("remarks %q", said)
		}
	}
}

func TestRemarksOfOneTrial(t *testing.T) {
	one := Plan{Trials: make([]Trial, 1), Part: Part{Only: []string{"seed=1"}, Of: []string{"a"}, Kept: 1}}
	if said := strings.Join(one.Remarks(), " "); !strings.Contains(said, "1 of 1 trial; --only seed=1; and 1 trial of an earlier plan.") {
		t.Errorf("remarks %q", said)
	}
}

func TestOnlyErrors(t *testing.T) {
	whole := plan(t, partSource)
	for only, want := range map[string]string{
		"seed":                  "want KEY=VALUE",
		"sed=1":                 `did you mean "seed"?`,
		"seed=3":                `unknown value of seed "3"`,
		"seed=1,4":              `known: 1, 2`,
		"base=quik":             `did you mean "quick"?`,
		"model=bm52":            `did you mean "bm25"?`,
		"loss=uni(Q)":           `unknown loss "uni(Q)"`,
		"loss=multi(P,I)":       "known: uni(I), uni(P)",
		"train.lora.r=4":        "no trial has",
		"design.pooling=clss":   `did you mean "cls"?`,
		"train.epochs=x":        "whole number",
		"design.padding_side=1": "no trial has",
	} {
		if _, err := whole.Only([]string{only}, testKnown.canonical); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Only(%q) = %v, want %q", only, err, want)
		}
	}
	if _, err := whole.Only([]string{"base=slow", "loss=uni(I)"}, testKnown.canonical); err == nil || !strings.Contains(err.Error(), "no trial meets all") {
		t.Errorf("conditions that exclude each other: %v", err)
	}
}

// Parts of one plan join to the complete plan. For parts of other plans the difference is
// named.
func TestPartsJoin(t *testing.T) {
	whole := plan(t, partSource)
	only := func(p *Plan, texts ...string) *Plan {
		part, err := p.Only(texts, testKnown.canonical)
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	one, two, rest := only(whole, "seed=1"), only(whole, "seed=2"), only(whole, "model=bm25")
	joined := one.With(two)
	if len(joined.Trials) != len(one.Trials)+len(two.Trials) || !joined.Part.Given() || len(joined.Part.Only) != 2 {
		t.Errorf("joined %d and %d to %d, part %+v", len(one.Trials), len(two.Trials), len(joined.Trials), joined.Part.Only)
	}
	joined = joined.With(rest)
	if labels(joined) != labels(whole) || joined.Part.Given() {
		t.Errorf("joined to %s, want %s", labels(joined), labels(whole))
	}
	if labels(one.With(whole)) != labels(whole) || whole.With(one) != whole {
		t.Error("a part and the whole are not the whole")
	}
	for yaml, want := range map[string]string{
		partSource: "",
		strings.Replace(partSource, "name: x", "name: y", 1):                               "experiment y, not x",
		strings.Replace(partSource, "epochs: 9", "epochs: 8", 1):                           "other trials",
		strings.Replace(partSource, "bm25]", "bm25, random]", 1):                           "other trials",
		partSource + "select: {on: test, measure: p-MRR, per: [backbone, design.pooling]}": "select",
	} {
		if got := one.IsOfSame(plan(t, yaml)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("another plan: %q, want %q", got, want)
		}
	}
	if got := one.IsOfSame(only(plan(t, partSource, "train.precision=bf16"), "seed=1")); !strings.Contains(got, "train.precision=bf16") {
		t.Errorf("a plan with something set: %q", got)
	}
}
