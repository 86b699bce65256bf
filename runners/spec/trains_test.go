package spec

import (
	"strings"
	"testing"
)

// Baselines alone train nothing. Any setting or section about training makes the experiment
// train.
func TestTrains(t *testing.T) {
	const head = "name: x\nevaluate: [mini-followir]\n"
	for _, c := range []struct{ yaml, set, want, defaults string }{
		{"baselines: [bm25, random]", "", "bm25; random seed=1", ""},
		{"baselines: [untrained]", "", "untrained", ""},
		{"baselines: [bm25, random]\nmatrix: {seed: [1, 2]}", "", "bm25; random seed=1; random seed=2", ""},
		{"baselines: [bm25]\nbase: {world: 2, seed: 3, dims: 8, precision: bf16}", "", "bm25", ""},
		{"baselines: [bm25]", "loss=uni(I)", "uni(I) seed=1; bm25", "data: mini-infir, backbone: tiny-bert"},
		{"baselines: [bm25]\nbase: {train: {steps: 1}}", "", "uni(P) seed=1; bm25", "data: mini-infir, backbone: tiny-bert, loss: uni(P)"},
		{"baselines: [bm25]\nmatrix: {loss: [uni(P), uni(I)]}\nbase: {data: mini-infir}", "", "uni(P) seed=1; uni(I) seed=1; bm25", "backbone: tiny-bert"},
		{"baselines: [bm25]\ninclude: [{loss: uni(I)}]", "", "uni(P) seed=1; uni(I) seed=1; bm25", "data: mini-infir, backbone: tiny-bert, loss: uni(P)"},
		{"baselines: [bm25]\nbases: {a: {data: mini-infir, backbone: tiny-bert, loss: uni(I)}}", "", "uni(I) seed=1; bm25", ""},
		{"baselines: [bm25]\nforgetting: {collections: [mini-mair], margin: 0.02}", "", "uni(P) seed=1; bm25; untrained seed=1", "data: mini-infir, backbone: tiny-bert, loss: uni(P)"},
		{"", "", "uni(P)", "data: mini-infir, backbone: tiny-bert, loss: uni(P)"},
	} {
		e, err := parse("x.yaml", []byte(head+c.yaml), testKnown)
		if err == nil && c.set != "" {
			err = testKnown.override(e, c.set)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		p, err := e.Expand(testResolve)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := labels(p); got != c.want {
			t.Errorf("%s: trials %q, want %q", c.yaml, got, c.want)
		}
		if got := e.Defaults(p); !strings.HasSuffix(got, c.defaults) || (got == "") != (c.defaults == "") {
			t.Errorf("%s: %q, want it to end with %q", c.yaml, got, c.defaults)
		}
	}
}
