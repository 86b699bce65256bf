package results_test

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// names lists the keys of some groups, or of all where none is given.
func names(groups ...results.Group) []string {
	var out []string
	for _, k := range results.Keys() {
		if len(groups) == 0 || slices.Contains(groups, k.Group) {
			out = append(out, k.Name)
		}
	}
	slices.Sort(out)
	return out
}

// leaves lists the dotted names under which a value's fields are written.
func leaves(t reflect.Type, path string) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return []string{path}
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		out = append(out, leaves(t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return out
}

// Every field of a cell has a key and every key of a sweep a field.
func TestKeysAreThoseOfACell(t *testing.T) {
	fields := slices.Sorted(slices.Values(leaves(reflect.TypeFor[spec.Cell](), "")))
	keys := names(results.OfData, results.OfModel, results.OfDesign, results.OfTraining, results.OfValidation)
	for _, name := range fields {
		if !slices.Contains(names(), name) {
			t.Errorf("field %s has no key", name)
		}
	}
	for _, name := range keys {
		if !slices.Contains(fields, name) {
			t.Errorf("key %s has no field", name)
		}
	}
	for key := range spec.DefaultCell().Settings() {
		if !slices.Contains(keys, key) {
			t.Errorf("a cell writes %s, which is no key", key)
		}
	}
}

// Keys are told apart by name and by label.
func TestKeysAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range results.Keys() {
		if seen[k.Name] || seen["label "+k.Label] || k.Label == "" || k.Group == "" {
			t.Errorf("key %+v is there twice or says too little", k)
		}
		seen[k.Name], seen["label "+k.Label] = true, true
	}
}

func TestKind(t *testing.T) {
	for _, c := range []struct {
		config results.Config
		want   results.Kind
	}{
		{results.Config{results.Model: "tiny-bert", results.Loss: "uni(P)"}, results.TrainedKind},
		{results.Config{results.Model: spec.Untrained}, results.BaselineKind},
		{results.Config{results.Model: "bm25"}, results.BaselineKind},
		{results.Config{results.Model: "random"}, results.NullKind},
		{results.Config{results.Model: "a/model"}, results.BaselineKind},
	} {
		if got := c.config.Kind(); got != c.want {
			t.Errorf("%v is %s, want %s", c.config, got, c.want)
		}
	}
}

func TestConfigNetwork(t *testing.T) {
	for model, want := range map[string]bool{"bm25": false, "random": false, spec.Untrained: true, "tiny-bert": true, "org/name": true, "": true} {
		if got := (results.Config{results.Model: model}).Network(); got != want {
			t.Errorf("%q: %t", model, got)
		}
	}
	for _, key := range []string{results.First, results.Fuse} {
		if !(results.Config{results.Model: "bm25", key: "org/name"}).Network() {
			t.Errorf("%s: a network joins in", key)
		}
	}
}
