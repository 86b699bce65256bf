package spec

import (
	"strings"
	"testing"
)

func TestValidation(t *testing.T) {
	const src = "name: x\nevaluate: [mini-followir]\n"
	plain := plan(t, src).Trials[0]
	if plain.Cell.Validate.Given() {
		t.Errorf("a cell without validation has %+v", plain.Cell.Validate)
	}
	short := plan(t, src+"base: {validate: {measure: ndcg@10}}").Trials[0]
	if want := (Validation{Data: HeldOut, Measure: "nDCG@10", Queries: heldOutRecords}); short.Cell.Validate != want {
		t.Errorf("completed to %+v, want %+v", short.Cell.Validate, want)
	}
	whole := plan(t, src+"base: {validate: {data: held-out, measure: nDCG@10, queries: 100}, train: {evaluate_every: 5, patience: 2}}").Trials[0]
	if whole.Cell.Validate != short.Cell.Validate || whole.ID == plain.ID || short.ID == plain.ID {
		t.Errorf("IDs %s, %s, %s; cells %+v", plain.ID, short.ID, whole.ID, whole.Cell.Validate)
	}
	other := plan(t, src+"base: {validate: {data: mini-followir, world: 7, task: headline, measure: p-MRR}}").Trials[0]
	last := other.Revisions[len(other.Revisions)-1]
	if last.Name != ValidationInput+"mini-followir" {
		t.Errorf("the plan pins %+v", other.Revisions)
	}
	e, err := parse("x.yaml", []byte(src), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	if err := testKnown.set(e, "validate.measure=p-MRR"); err != nil || e.Base.Validate.Data != HeldOut {
		t.Errorf("--set: %+v, %v", e.Base.Validate, err)
	}
}

func TestValidationErrors(t *testing.T) {
	for base, want := range map[string]string{
		"validate: {queries: 5}":                                 "needs a measure",
		"validate: {measure: nDGC@10}":                           `x.yaml:3:38: measure "nDGC@10": unknown`,
		"validate: {measure: num_q}":                             "x.yaml:3:38: measure NumQ has no direction",
		"validate: {data: held-out, measure: 'Utility(b=1)'}":    "x.yaml:3:54: measure Utility(b=1) has no direction",
		"validate: {data: mini-folowir, measure: AP}":            `did you mean "mini-followir"?`,
		"validate: {measure: AP, task: headline}":                "held-out has neither tasks nor a world",
		"validate: {measure: AP, queries: -1}":                   "want at least 0",
		"validate: {measure: AP, every: 5}":                      `unknown key "every"`,
		"validate: {data: mini-followir, measure: AP}":           "mini-followir is also the cell's test",
		"validate: {data: mini-followir, world: 3, measure: AP}": "mini-followir is also the cell's test",
		"train: {evaluate_every: 5}":                             "x.yaml:3:7: train.evaluate_every 5 needs a key validate",
		"validate: {measure: AP}, train: {patience: 2}":          "needs train.evaluate_every",
	} {
		e, err := parse("x.yaml", []byte("name: x\nevaluate: [mini-followir]\nbase: {world: 3, "+base+"}"), testKnown)
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", base, err, want)
		}
	}
}
