package spec

import (
	"slices"
	"strings"
	"testing"
)

const basesSource = `name: x
evaluate: [mini-followir]
base: {train: {lr: 0.001, epochs: 3}}
bases:
  slow: {train: {epochs: 9}}
  quick: {loss: uni(I)}
matrix: {seed: [1, 2]}
include: [{seed: 3}]
baselines: [untrained, bm25]
`

// Each base is combined with the matrix and keeps the settings of base; so do included cells
// and baselines.
func TestBases(t *testing.T) {
	p := plan(t, basesSource)
	want := "uni(P) seed=1 train.epochs=9; uni(P) seed=2 train.epochs=9; uni(I) seed=1 train.epochs=3; uni(I) seed=2 train.epochs=3; " +
		"uni(P) seed=3 train.epochs=9; uni(I) seed=3 train.epochs=3; untrained seed=1; untrained seed=2; untrained seed=3; bm25"
	if got := labels(p); got != want {
		t.Errorf("trials:\n%s\nwant:\n%s", got, want)
	}
	for _, trial := range p.Trials[:6] {
		if trial.Cell.Train.LearningRate != 0.001 {
			t.Errorf("%s lost the rate of base: %v", trial.Label, trial.Cell.Train.LearningRate)
		}
	}
	// The order of base and bases in the file does not matter, nor does a base's name.
	const base = "base: {train: {lr: 0.001, epochs: 3}}\n"
	moved := plan(t, strings.Replace(strings.Replace(basesSource, base, "", 1), "slow", "slower", 1)+base)
	for i := range p.Trials {
		if p.Trials[i].ID != moved.Trials[i].ID {
			t.Errorf("%s has another ID with base after bases", p.Trials[i].Label)
		}
	}
}

func TestBasesSet(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{"base=quick"}, "uni(I) seed=1; uni(I) seed=2"},
		{[]string{"base=slow", "seed=2"}, "uni(P)"},
		{[]string{"train.epochs=4"}, "uni(P) seed=1; uni(P) seed=2; uni(I) seed=1; uni(I) seed=2"},
		{[]string{"validate.measure=AP", "seed=1"}, "uni(P) train.epochs=9; uni(I) train.epochs=3"},
	} {
		e, err := parse("x.yaml", []byte(basesSource), testKnown)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.set {
			if err := testKnown.set(e, s); err != nil {
				t.Fatal(err)
			}
		}
		e.Include, e.Baselines = nil, nil
		p, err := e.Expand(testResolve)
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(p); got != c.want {
			t.Errorf("%v:\n%s\nwant:\n%s", c.set, got, c.want)
		}
		if slices.Contains(c.set, "validate.measure=AP") && p.Trials[1].Cell.Validate.Data != HeldOut {
			t.Errorf("a base's validation is %+v", p.Trials[1].Cell.Validate)
		}
	}
}

func TestBasesErrors(t *testing.T) {
	const head = "name: x\nevaluate: [mini-followir]\n"
	for yaml, want := range map[string]string{
		"bases: []":                              `x.yaml:3:8: bases: want a mapping, found a list`,
		"bases: {}":                              `x.yaml:3:8: bases: the mapping is empty`,
		"bases: {a: {backbone: tiny-bart}}":      `x.yaml:3:23: unknown backbone "tiny-bart"; did you mean "tiny-bert"?`,
		"bases:\n  a: {seed: 2}\n  b: {seed: 2}": `x.yaml:5:3: bases: b has the settings of a`,
		"bases: {a: {train: {lr: 1}}}\nmatrix: {train.lr: [2, 3]}": `x.yaml:3:9: bases: a sets train.lr, which the matrix varies`,
		"bases: {a: {los: uni(P)}}":                                `x.yaml:3:13: unknown key "los"; did you mean "loss"?`,
	} {
		if _, err := parse("x.yaml", []byte(head+yaml), testKnown); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %q", yaml, err, want)
		}
	}
	e, err := parse("x.yaml", []byte(basesSource), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	if err := testKnown.set(e, "base=slw"); err == nil || !strings.Contains(err.Error(), `did you mean "slow"?`) {
		t.Errorf("Set(base=slw) = %v", err)
	}
}
