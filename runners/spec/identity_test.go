package spec

import (
	"reflect"
	"testing"
)

// A new setting of training with its default changes no ID. Another value does, and so does an
// unset value if the default is set.
func TestDefaultsAreNoPartOfAnID(t *testing.T) {
	type settings = map[string]any
	usual := settings{"lr": 1.0, "gained": "as before", "section": settings{"a": 1, "gained": 2}}
	for _, c := range []struct {
		name      string
		set, want settings
	}{
		{"defaults", usual, settings{}},
		{"another value", settings{"lr": 2.0, "gained": "as before", "section": settings{"a": 1, "gained": 2}}, settings{"lr": 2.0}},
		{"another value below", settings{"lr": 1.0, "gained": "as before", "section": settings{"a": 3, "gained": 2}}, settings{"section": settings{"a": 3}}},
		{"unset", settings{"lr": 1.0, "section": settings{"a": 1, "gained": 2}}, settings{"gained": nil}},
		{"without a default", settings{"lr": 1.0, "gained": "as before", "section": settings{"a": 1, "gained": 2}, "more": 1}, settings{"more": 1}},
	} {
		if got := withoutDefaults(c.set, usual); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Trials that differ in the evaluation of their model share its weights. Trials that differ in
// its training do not.
func TestWeightsID(t *testing.T) {
	base := Trial{Cell: DefaultCell(), Evaluate: []string{"mini-bright"}, Revisions: []Revision{{"mini-infir", "1"}, {"mini-bright", "2"}}}
	for _, c := range []struct {
		name   string
		change func(*Trial)
		shared bool
	}{
		{"a benchmark more", func(t *Trial) {
			t.Evaluate = []string{"mini-bright", "mini-mair"}
			t.Revisions = []Revision{{"mini-infir", "1"}, {"mini-bright", "2"}, {"mini-mair", "3"}}
		}, true},
		{"another revision of a benchmark", func(t *Trial) { t.Revisions = []Revision{{"mini-infir", "1"}, {"mini-bright", "3"}} }, true},
		{"bf16", func(t *Trial) { t.Cell.Precision = "bf16" }, true},
		{"fewer values", func(t *Trial) { t.Cell.Dims = 8 }, true},
		{"inner products", func(t *Trial) { t.Cell.Similarity = "dot" }, true},
		{"another seed", func(t *Trial) { t.Cell.Seed = 2 }, false},
		{"another loss", func(t *Trial) { t.Cell.Loss = "uni(I)" }, false},
		{"another learning rate", func(t *Trial) { t.Cell.Train.LearningRate = 1 }, false},
		{"other training data", func(t *Trial) { t.Revisions = []Revision{{"mini-infir", "2"}, {"mini-bright", "2"}} }, false},
		{"nothing trained", func(t *Trial) { t.Cell.Model = Untrained }, false},
	} {
		other := base
		c.change(&other)
		if shared := other.WeightsID() == base.WeightsID(); shared != c.shared {
			t.Errorf("%s: weights are shared: %v, want %v", c.name, shared, c.shared)
		}
		if other.Hash() == base.Hash() {
			t.Errorf("%s: the ID is the same", c.name)
		}
	}
	a, b := base, base
	a.Cell.Train.DropOverlap, b.Cell.Train.DropOverlap = true, true
	b.Evaluate = []string{"mini-bright", "mini-mair"}
	if a.WeightsID() == b.WeightsID() {
		t.Error("training leaves out what the tests hold, and other tests share its weights")
	}
	a, b = base, base
	a.Cell.Data, b.Cell.Data = "mini-bright", "mini-bright"
	a.Revisions, b.Revisions = []Revision{{"mini-bright", "2"}}, []Revision{{"mini-bright", "3"}}
	if a.WeightsID() == b.WeightsID() {
		t.Error("a benchmark is trained on, too, and another revision of it shares the weights")
	}
	a, b = base, base
	a.Cell.Validate, b.Cell.Validate = Validation{Data: HeldOut}, Validation{Data: HeldOut}
	if b.Cell.Dims = 8; a.WeightsID() == b.WeightsID() {
		t.Error("weights are validated at the tested width, and those of another width are shared")
	}
}
