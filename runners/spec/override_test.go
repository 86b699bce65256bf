package spec

import (
	"slices"
	"strings"
	"testing"
)

const overrideSource = `name: x
evaluate: [mini-followir]
base: {train: {epochs: 3}}
matrix: {loss: [uni(P), uni(I)], train.lora: [{r: 0}, {r: 4}]}
include: [{loss: uni(P), train.epochs: 9, seed: 5}]
baselines: [bm25]
`

// An override is valid in every trained cell; axes and included cells stay.
func TestOverride(t *testing.T) {
	before := plan(t, overrideSource)
	for _, c := range []struct {
		set    []string
		trials int
		check  func(*Cell) bool
	}{
		{nil, 7, func(c *Cell) bool { return c.Train.Epochs == 3 || c.Seed == 5 && c.Train.Epochs == 9 }},
		{[]string{"train.epochs=2"}, 7, func(c *Cell) bool { return c.Train.Epochs == 2 }},
		{[]string{"seed=7"}, 7, func(c *Cell) bool { return c.Seed == 7 }},
		{[]string{"loss=uni(I)"}, 5, func(c *Cell) bool { return c.Loss == "uni(I)" }},
		{[]string{"train.lora.r=8", "seed=2"}, 4 + 1 - 1, func(c *Cell) bool { return c.Train.LoRA.Rank == 8 }},
		{[]string{"train.lora={r: 2}"}, 4, func(c *Cell) bool { return c.Train.LoRA.Rank == 2 }},
	} {
		p := plan(t, overrideSource, c.set...)
		if len(p.Trials) != c.trials {
			t.Errorf("%v: %d trials (%s), want %d", c.set, len(p.Trials), labels(p), c.trials)
		}
		for i := range p.Trials {
			if cell := &p.Trials[i].Cell; cell.Model == Trained && !c.check(cell) {
				t.Errorf("%v: %s is %+v", c.set, p.Trials[i].Label, cell)
			}
		}
		if !slices.Equal(p.Set, c.set) {
			t.Errorf("%v: the plan records %v", c.set, p.Set)
		}
	}
	after := plan(t, overrideSource, "train.precision=bf16")
	for i := range before.Trials {
		b, a := &before.Trials[i], &after.Trials[i]
		if (b.ID == a.ID) != (b.Cell.Model != Trained) {
			t.Errorf("%s: ID %s, then %s", b.Label, b.ID, a.ID)
		}
	}
	if got, want := strings.Join(after.Remarks(), " "), "Set on the command line: train.precision=bf16."; got != want {
		t.Errorf("remarks %q, want %q", got, want)
	}
}

func TestOverrideErrors(t *testing.T) {
	for assignment, want := range map[string]string{
		"train.epoch=1":      `did you mean "train.epochs"?`,
		"model=bm25":         "model is not set here",
		"base=quick":         `unknown base "quick"`,
		"train.epochs=1.5":   "whole number",
		"backbone=tiny-bart": `did you mean "tiny-bert"?`,
	} {
		e, err := parse("x.yaml", []byte(overrideSource), testKnown)
		if err != nil {
			t.Fatal(err)
		}
		if err := testKnown.override(e, assignment); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Override(%q) = %v, want %q", assignment, err, want)
		}
	}
}
