package scores_test

import (
	"strings"
	"testing"

	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// long is a path of a hundred characters that ends with a name.
func long(folder, name string) string {
	start := "/srv/" + folder + "/"
	return start + strings.Repeat("x", 100-len(start)-len(name)-1) + "/" + name
}

// TestSaid checks that systems are named by labels and last parts of paths, unlike each other, and
// found by these and by their complete names.
func TestSaid(t *testing.T) {
	trial := func(id string, config results.Config, labels ...spec.ValueLabel) results.Trial {
		one := 1.0
		return results.Trial{ID: id, State: results.Done, Config: config, Labels: labels,
			Results: []results.Result{{Benchmark: "b", Task: "t", Query: "q", Measure: "nDCG@10", Value: &one}}}
	}
	for name, c := range map[string]struct {
		trials []results.Trial
		want   []string
		long   []string
	}{
		"last parts": {[]results.Trial{trial("1", results.Config{"model": long("a", "e5")}), trial("2", results.Config{"model": long("b", "e5")}), trial("3", results.Config{"model": "/m/bge"}), trial("4", results.Config{"model": "intfloat/e5"})},
			[]string{"a/.../e5", "b/.../e5", "bge", "intfloat/e5"}, []string{long("a", "e5"), long("b", "e5"), "/m/bge", ""}},
		"axis": {[]results.Trial{trial("1", results.Config{"loss": "uni(P)", "backbone": long("a", "one"), "model": long("a", "one")}), trial("2", results.Config{"loss": "uni(P)", "backbone": "tiny-bert", "model": "tiny-bert"}, spec.ValueLabel{Key: "loss", Label: "InF"}, spec.ValueLabel{Key: "backbone", Label: "tiny"})},
			[]string{"InF backbone=one", "InF backbone=tiny"}, nil},
		"entry": {[]results.Trial{trial("1", results.Config{"model": "/m/a", "first": "bm25", "depth": "50"}, spec.ValueLabel{Key: spec.SystemKey, Label: "mono"}), trial("2", results.Config{"model": "/m/a", "first": "bm25", "depth": "100"}), trial("3", results.Config{"model": "/m/b", "first": "bm25", "depth": "100"}, spec.ValueLabel{Key: "model", Label: "mine"})},
			[]string{"mono", "a depth=100 first=bm25", "mine depth=100 first=bm25"}, []string{"/m/a depth=50 first=bm25"}},
		"entry with prompts": {[]results.Trial{trial("1", results.Config{"model": "/m/a", "query_prompt": "x"}, spec.ValueLabel{Key: spec.SystemKey, Label: "mine"}), trial("2", results.Config{"model": "/m/a", "query_prompt": "y"}, spec.ValueLabel{Key: spec.SystemKey, Label: "mine"})},
			[]string{"mine query_prompt=x", "mine query_prompt=y"}, nil},
		"one label for two values": {[]results.Trial{trial("1", results.Config{"model": "/m/a"}, spec.ValueLabel{Key: "model", Label: "x"}), trial("2", results.Config{"model": "/m/b"}, spec.ValueLabel{Key: "model", Label: "x"}), trial("3", results.Config{"model": "c"}, spec.ValueLabel{Key: "model", Label: "bm25"}), trial("4", results.Config{"model": "bm25"})},
			[]string{"/m/a", "/m/b", "c", "bm25"}, nil},
		"a label like another name": {[]results.Trial{trial("1", results.Config{"model": "c"}, spec.ValueLabel{Key: spec.SystemKey, Label: "bm25"}), trial("2", results.Config{"model": "bm25"})},
			[]string{"bm25 (model=c)", "bm25 (model=bm25)"}, nil},
	} {
		v, err := scores.New([]*results.Experiment{{Name: "e", Trials: c.trials}})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i, tr := range c.trials {
			s, err := v.Named(tr.ID)
			if err != nil || s == nil {
				t.Fatalf("%s: %s: %v", name, tr.ID, err)
			}
			if s.Label != c.want[i] || seen[s.Label] || i < len(c.long) && s.Long != c.long[i] {
				t.Errorf("%s: %q (long %q), want %q", name, s.Label, s.Long, c.want[i])
			}
			seen[s.Label] = true
			for _, text := range []string{s.Label, s.Long} {
				if found, err := v.Named(text); text != "" && (err != nil || found != s) {
					t.Errorf("%s: %q finds %v, %v", name, text, found, err)
				}
			}
		}
	}
}
