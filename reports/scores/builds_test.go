package scores

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/runners/results"
)

// builtAs returns trials of systems a, b, c..., each with one of the provenances.
func builtAs(t *testing.T, made ...results.Provenance) *Set {
	t.Helper()
	one := 1.0
	e := &results.Experiment{Name: "e"}
	for i, p := range made {
		name := string(rune('a' + i))
		e.Trials = append(e.Trials, results.Trial{ID: name, State: results.Done, Config: results.Config{results.Model: name}, Provenance: p,
			Results: []results.Result{{Benchmark: "mair", Task: "one", Query: "1", Measure: "nDCG@10", Value: &one}}})
	}
	v, err := New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBuildNotes(t *testing.T) {
	old := results.Provenance{Infbench: "v1", Go: "go1.26", Backend: "go+avx512:parallelism=-1"}
	next, gpu, plain, stamped := old, old, old, old
	stamped.Source = "sha256:" + strings.Repeat("0123456789abcdef", 4)
	renamed := stamped
	renamed.Infbench = "v1+changes"
	next.Infbench, gpu.Backend, plain.Backend = "v2", "xla:cuda:0", "go+avx2:parallelism=-1"
	other := gpu
	other.Backend = "xla:cuda:1"
	foreign := results.Provenance{Infbench: "v3", Imported: "trec"}
	for name, test := range map[string]struct {
		made []results.Provenance
		want []string
	}{
		"one build":              {[]results.Provenance{old, old}, nil},
		"two":                    {[]results.Provenance{old, next, old}, []string{"Made by different builds of infbench: v1: a, c; v2: b."}},
		"other sources":          {[]results.Provenance{old, stamped}, []string{"Made by different builds of infbench: v1 (sha256:0123456789ab): b; v1: a."}},
		"the same sources":       {[]results.Provenance{stamped, renamed}, nil},
		"one and none":           {[]results.Provenance{old, {}}, []string{"Made by different builds of infbench: v1: a; not recorded: b."}},
		"none":                   {[]results.Provenance{{}, {}}, nil},
		"an import":              {[]results.Provenance{old, foreign}, nil},
		"backends":               {[]results.Provenance{old, gpu}, []string{"Computed by different backends: go:parallelism=-1: a; xla:cuda: b."}},
		"two devices of a kind":  {[]results.Provenance{gpu, other}, nil},
		"kernels":                {[]results.Provenance{old, plain}, []string{"Computed by different kernels: avx2: b; avx512: a."}},
		"text of somebody else":  {[]results.Provenance{old, {Infbench: "v2\x1b[31m"}}, []string{"Made by different builds of infbench: v1: a; v2\\x1b[31m: b."}},
		"a build more than once": {slices.Repeat([]results.Provenance{old, next}, 7), []string{"Made by different builds of infbench: v1: a, c, e, g, i and 2 more; v2: b, d, f, h, j and 2 more."}},
	} {
		if got := BuildNotes(builtAs(t, test.made...)); !slices.Equal(got, test.want) && name != "text of somebody else" {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		} else if strings.ContainsRune(fmt.Sprint(got), '\x1b') {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestBuildNotesLeaveOutWhatHasNoNetwork checks that BM25 has no note on kernels or
// devices: it multiplies no matrices.
func TestBuildNotesLeaveOutWhatHasNoNetwork(t *testing.T) {
	narrow := results.Provenance{Infbench: "v1", Go: "go1.26", Backend: "go+avx2:parallelism=-1"}
	wide, card := narrow, narrow
	wide.Backend, card.Backend = "go+avx512:parallelism=-1", "xla:cuda"
	for _, c := range []struct {
		models []string
		made   []results.Provenance
		want   []string
	}{
		{[]string{"a", "b", "bm25"}, []results.Provenance{narrow, wide, narrow}, []string{"Computed by different kernels: avx2: a; avx512: b."}},
		{[]string{"a", "bm25"}, []results.Provenance{wide, narrow}, nil},
		{[]string{"random", "a"}, []results.Provenance{narrow, card}, nil},
	} {
		v := builtAs(t, c.made...)
		for i, s := range v.Systems {
			s.Label, s.Trials[0].Config[results.Model] = c.models[i], c.models[i]
		}
		if got := BuildNotes(v); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.models, got, c.want)
		}
	}
}
