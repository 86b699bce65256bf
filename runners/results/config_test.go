package results_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// Every key that the code uses by name is a setting of a cell or a key in made.
func TestConstantsAreKeys(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || constants > 0 { // the first ones are keys
			continue
		}
		for _, line := range group.Specs {
			name, err := strconv.Unquote(line.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			if constants++; err != nil || results.KeyOf(name).Name == "" {
				t.Errorf("%s is no setting: %v", name, err)
			}
		}
	}
	if constants < 40 {
		t.Errorf("%d constants", constants)
	}
}

// A cell only writes settings.
func TestCellsWriteKeys(t *testing.T) {
	for key := range spec.DefaultCell().Settings() {
		if results.KeyOf(key).Name == "" {
			t.Errorf("a cell writes %s, which is no key", key)
		}
	}
}

// Names and labels of keys are unique.
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

// Seeds distinguish runs if numbers depend on them.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		a, b results.Config
		one  bool
	}{
		{results.Config{results.Model: "bm25", results.Seed: "0"}, results.Config{results.Model: "bm25", results.Seed: "1"}, true},
		{results.Config{results.Model: "org/net", results.Weights: "w", results.Seed: "0"}, results.Config{results.Model: "org/net", results.Weights: "w", results.Seed: "1"}, true},
		{results.Config{results.Model: "org/net", results.First: "bm25", results.Fuse: "constant", results.Weights: "w", results.Seed: "0"}, results.Config{results.Model: "org/net", results.First: "bm25", results.Fuse: "constant", results.Weights: "w", results.Seed: "1"}, true},
		{results.Config{results.Model: "org/net", results.Fuse: "bm25+random", results.Weights: "w", results.Seed: "0"}, results.Config{results.Model: "org/net", results.Fuse: "bm25+random", results.Weights: "w", results.Seed: "1"}, false},
		{results.Config{results.Model: "random", results.Seed: "1"}, results.Config{results.Model: "random", results.Seed: "2"}, false},
		{results.Config{results.Model: results.Untrained, results.Backbone: "org/net", results.Weights: "w", results.Seed: "1"}, results.Config{results.Model: results.Untrained, results.Backbone: "org/net", results.Weights: "w", results.Seed: "2"}, false},
		{results.Config{results.Model: "tiny-bert", results.Loss: "uni(P)", results.Seed: "1"}, results.Config{results.Model: "tiny-bert", results.Loss: "uni(P)", results.Seed: "2"}, false},
		{results.Config{results.Model: "bm25", results.Imported: "trec", results.Seed: "1"}, results.Config{results.Model: "bm25", results.Imported: "trec", results.Seed: "2"}, false},
		{results.Config{results.Model: "of unknown weights", results.Seed: "1"}, results.Config{results.Model: "of unknown weights", results.Seed: "2"}, false},
	} {
		if one := c.a.Run() == c.b.Run(); one != c.one {
			t.Errorf("%v and %v are one run: %v, want %v", c.a, c.b, one, c.one)
		}
	}
	if run := (results.Config{results.Model: "bm25"}).Run(); run != "" {
		t.Errorf("without a seed: %q", run)
	}
}
