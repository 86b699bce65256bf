package scores

import (
	"fmt"
	"slices"
	"testing"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/runners/results"
)

// onData returns an experiment of one trial on a benchmark of some revision, whose tasks
// have documents with the given hashes; nil is a task without a recorded hash.
func onData(id, revision string, documents map[string]string, value float64) *results.Experiment {
	b := results.Benchmark{Name: "beir", Revision: revision}
	t := results.Trial{ID: id, State: results.Done, Config: results.Config{results.Model: "net", results.Seed: "1"}}
	tasks := []string{"test"}
	if documents != nil {
		b.Content, tasks = map[string]datasets.ContentHashes{}, words.SortedKeys(documents)
	}
	for _, task := range tasks {
		if documents != nil {
			b.Content[task] = datasets.ContentHashes{Documents: documents[task]}
		}
		t.Results = append(t.Results, results.Result{Benchmark: b.Name, Task: task, Query: "q", Measure: "AP", Value: &value})
	}
	t.Provenance.Benchmarks = []results.Benchmark{b}
	return &results.Experiment{Name: id, Trials: []results.Trial{t}}
}

func viewOfAll(t *testing.T, exps []*results.Experiment) *Set {
	t.Helper()
	v, err := New(exps)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCollections checks that data are one collection if no record contradicts this and
// some record supports it.
func TestCollections(t *testing.T) {
	one, other := map[string]string{"test": "a"}, map[string]string{"test": "b"}
	for _, c := range []struct {
		name string
		exps []*results.Experiment
		want int
	}{
		{"the same content", []*results.Experiment{onData("x", "", one, .2), onData("y", "", one, .3)}, 1},
		{"other content", []*results.Experiment{onData("x", "", one, .4), onData("y", "", other, .5)}, 2},
		{"other content of one revision", []*results.Experiment{onData("x", "r1", one, .6), onData("y", "r1", other, .7)}, 2},
		{"other revisions", []*results.Experiment{onData("x", "r1", nil, .8), onData("y", "r2", nil, .9)}, 2},
		{"other tasks", []*results.Experiment{onData("x", "", one, .1), onData("y", "", map[string]string{"dev": "b"}, .2), onData("z", "", map[string]string{"dev": "b", "test": "a"}, .3)}, 1},
		{"nothing recorded beside content", []*results.Experiment{onData("x", "", nil, .4), onData("y", "", one, .5)}, 2},
		{"a revision beside its content", []*results.Experiment{onData("x", "r1", nil, .6), onData("y", "r1", one, .7)}, 1},
		{"a revision beside two contents", []*results.Experiment{onData("x", "r1", nil, .8), onData("y", "r1", one, .9), onData("z", "r1", other, .1)}, 3},
		{"a branch beside its content", []*results.Experiment{onData("x", "unpinned", nil, .2), onData("y", "unpinned", one, .3)}, 2},
	} {
		for range 2 { // in either order
			v := viewOfAll(t, c.exps)
			if got := len(v.Benchmarks); got != c.want {
				t.Errorf("%s: %v, want %d collections", c.name, words.SortedKeys(v.Benchmarks), c.want)
			}
			slices.Reverse(c.exps)
		}
	}
}

// labels returns the names of the systems, sorted.
func labels(v *Set) []string {
	var out []string
	for _, s := range v.Systems {
		out = append(out, fmt.Sprintf("%s x%d", s.Label, len(s.Trials)))
	}
	slices.Sort(out)
	return out
}

// TestRunsOfOneSystem checks that trials are runs of one system if they differ only in
// their seed.
func TestRunsOfOneSystem(t *testing.T) {
	content := map[string]string{"test": "a"}
	trial := func(id, seed, weights string, value float64) *results.Experiment {
		e := onData(id, "", content, value)
		e.Name = id[:1]
		e.Trials[0].Config[results.Seed] = seed
		if weights != "" {
			e.Trials[0].Config[results.Weights] = weights
		}
		return e
	}
	const h1, h2 = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"
	for _, c := range []struct {
		name string
		exps []*results.Experiment
		want []string
	}{
		{"two seeds", []*results.Experiment{trial("x", "1", "", .1), trial("y", "2", "", .2)}, []string{"net x2"}},
		{"weights that none recorded", []*results.Experiment{trial("x", "1", "", .1), trial("y", "1", "", .1)}, []string{"net (x) x1", "net (y) x1"}},
		{"one run twice", []*results.Experiment{trial("x", "1", h1, .1), trial("y", "1", h1, .1)}, []string{"net x1"}},
		{"other weights", []*results.Experiment{trial("x", "1", h1, .1), trial("y", "1", h2, .2)}, []string{"net weights=aaaaaaaaaaaa x1", "net weights=bbbbbbbbbbbb x1"}},
		{"weights that one did not record", []*results.Experiment{trial("x", "1", h1, .1), trial("y", "1", "", .1)}, []string{"net weights not recorded x1", "net weights=aaaaaaaaaaaa x1"}},
		{"other values of one seed", []*results.Experiment{trial("x", "1", "", .1), trial("y", "1", "", .2), trial("y2", "2", "", .3)}, []string{"net (x) x1", "net (y) x2"}},
	} {
		if got := labels(viewOfAll(t, c.exps)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
