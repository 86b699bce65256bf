package spec

import (
	"reflect"
	"strings"
	"testing"
)

const validated = "name: x\nevaluate: [mini-followir]\nbase: {validate: {measure: AP}, train: {evaluate_every: 5}}\n"

// The rule of selection is in the plan and not in any trial ID.
func TestSelect(t *testing.T) {
	without := plan(t, validated)
	for yaml, want := range map[string]Select{
		"select: {on: validation}":                                      {OnValidation, "", []string{"backbone"}},
		"select: {on: validation, measure: ap}":                         {OnValidation, "AP", []string{"backbone"}},
		"select: {on: test, measure: p-MRR, per: [backbone, train.lr]}": {OnTest, "p-MRR", []string{"backbone", "train.lr"}},
		"select: {on: validation, measure: AP, per: loss}":              {OnValidation, "AP", []string{"loss"}},
		"select: {on: test, measure: unj@10}":                           {OnTest, "Unjudged@10", []string{"backbone"}},
		"select: {on: validation}\nstop_hopeless: {alpha: 0.05}":        {OnValidation, "", []string{"backbone"}},
	} {
		p := plan(t, validated+yaml)
		if !reflect.DeepEqual(p.Select, want) {
			t.Errorf("%s: %+v, want %+v", yaml, p.Select, want)
		}
		if p.Stop.Given() != strings.Contains(yaml, "stop") {
			t.Errorf("%s: %+v", yaml, p.Stop)
		}
		if p.Trials[0].ID != without.Trials[0].ID {
			t.Errorf("%s changed a trial ID", yaml)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	const bare = "name: x\nevaluate: [mini-followir]\n"
	for _, c := range []struct{ yaml, want string }{
		{validated + "select: {on: tst, measure: AP}", `x.yaml:4:9: select: on: unknown choice "tst"; did you mean "test"?`},
		{validated + "select: {measure: AP}", `x.yaml:4:9: select: on: unknown choice ""`},
		{validated + "select: {on: test}", "x.yaml:4:9: select: needs a measure"},
		{validated + "select: {on: test, measure: nDGC@10}", `x.yaml:4:29: measure "nDGC@10": unknown`},
		{validated + "select: {on: test, measure: num_rel}", "x.yaml:4:29: measure NumRel has no direction (neither a higher nor a lower value is better), so it cannot select or rank; measures that can select: AP, nDCG, "},
		{validated + "select:\n  on: test\n  measure: GMAP", "x.yaml:6:12: measure GMAP is not a mean over queries"},
		{validated + "select: {on: test, measure: AP, per: [bakbone]}", `unknown key "bakbone"`},
		{validated + "select: {on: test, measure: AP, per: [seed]}", "seeds are averaged"},
		{validated + "select: {on: validation, measure: p-MRR}", "x.yaml:4:9: select uses p-MRR, but cells are validated by AP"},
		{bare + "select: {on: validation}", "x.yaml:3:9: select on validation needs a measure"},
		{validated + "select: {on: validation, per: losss}", `unknown key "losss"`},
		{validated + "select: {on: validation, per: 3}", "per"},
		{bare + "stop_hopeless: {alpha: 0.05}", "x.yaml:3:16: stop_hopeless needs validate and train.evaluate_every"},
		{validated + "stop_hopeless: {alpha: 0}", "x.yaml:4:16: stop_hopeless: needs alpha"},
		{validated + "stop_hopeless: {alpha: .nan}", "want a finite number"},
	} {
		e, err := parse("x.yaml", []byte(c.yaml), testKnown)
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.yaml, err, c.want)
		}
	}
}

// One line of a file selects each loss's configuration on held-out queries. The cells are
// validated as if the file had that section; a file without the line is unchanged.
func TestSelectValidates(t *testing.T) {
	const bare = "name: x\nevaluate: [mini-followir]\nmatrix: {loss: [uni(P), uni(I)], train.lr: [1e-3, 5e-3]}\nbaselines: [untrained]\n"
	one, two := plan(t, bare+"select: {on: validation, measure: AP, per: loss}"), plan(t, bare+"base: {validate: {measure: AP}}\nselect: {on: validation, measure: AP, per: [loss]}")
	for i := range two.Trials {
		if one.Trials[i].ID != two.Trials[i].ID {
			t.Errorf("%s: %s in one line, %s in two", one.Trials[i].Label, one.Trials[i].ID, two.Trials[i].ID)
		}
	}
	if v := one.Trials[0].Cell.Validate; v != (Validation{Data: HeldOut, Measure: "AP", Queries: heldOutRecords}) {
		t.Errorf("validated by %+v", v)
	}
	if without := plan(t, bare); without.Trials[0].Cell.Validate.Given() {
		t.Errorf("validated without being asked: %+v", without.Trials[0].Cell.Validate)
	}
}
