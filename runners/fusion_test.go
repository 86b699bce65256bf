package runners

import (
	"math"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

func fusionTask() (task *datasets.Task, a, b *RunFile) {
	task = &datasets.Task{Name: "fusion", Corpus: datasets.MemoryCorpus{{ID: "x"}, {ID: "y"}, {ID: "z"}},
		Queries: []datasets.Query{{ID: "q"}, {ID: "only a"}, {ID: "none"}}}
	a = &RunFile{name: "a", run: trec.Run{"q": {{Doc: "x", Score: 10}, {Doc: "y", Score: 6}, {Doc: "z", Score: 2}}, "only a": {{Doc: "z", Score: 5}}}}
	b = &RunFile{name: "b", run: trec.Run{"q": {{Doc: "z", Score: 0.5}, {Doc: "y", Score: 0.1}}}}
	return task, a, b
}

// The expected values were computed by hand from the definitions in the doc comments.
func TestFusion(t *testing.T) {
	task, a, b := fusionTask()
	for _, c := range []struct {
		fusion *Fusion
		query  string
		want   trec.Ranking
	}{
		{NewRRF(60, 10, Part{a, 1}, Part{b, 1}), "q", trec.Ranking{{Doc: "z", Score: 1./63 + 1./61}, {Doc: "y", Score: 2. / 62}, {Doc: "x", Score: 1. / 61}}},
		{NewRRF(60, 10, Part{a, 3}, Part{b, 1}), "q", trec.Ranking{{Doc: "y", Score: 4. / 62}, {Doc: "z", Score: 3./63 + 1./61}, {Doc: "x", Score: 3. / 61}}},
		{NewRRF(60, 1, Part{a, 1}, Part{b, 1}), "q", trec.Ranking{{Doc: "z", Score: 1. / 61}, {Doc: "x", Score: 1. / 61}}},
		{NewRRF(60, 10, Part{a, 1}, Part{b, 0.5}), "only a", trec.Ranking{{Doc: "z", Score: 1. / 61}}},
	} {
		run := retrieve(t, c.fusion, task, 10)
		got := run[c.query]
		if len(got) != len(c.want) {
			t.Fatalf("%s: %v, want %v", c.fusion.Name(), got, c.want)
		}
		for i := range got {
			if got[i].Doc != c.want[i].Doc || math.Abs(got[i].Score-c.want[i].Score) > 1e-15 {
				t.Errorf("%s: %v, want %v", c.fusion.Name(), got, c.want)
			}
		}
		if _, ok := run["none"]; ok {
			t.Errorf("%s answers a query that no part answers", c.fusion.Name())
		}
	}
}

func TestFusionErrors(t *testing.T) {
	task, a, _ := fusionTask()
	for want, f := range map[string]*Fusion{
		"nothing to join": NewRRF(60, 10),
		"depth 0":         NewRRF(60, 0, Part{a, 1}),
	} {
		if _, err := f.Retrieve(t.Context(), task, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", f.Name(), err, want)
		}
	}
}
