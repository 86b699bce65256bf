package scores_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// setOf returns a set of trials with one value each on one benchmark.
func setOf(t *testing.T, configs ...map[string]string) *scores.Set {
	t.Helper()
	return setOn(t, func(int) []string { return []string{"B"} }, configs...)
}

// setOn returns a set of trials with one value each on the benchmarks that on returns.
func setOn(t *testing.T, on func(i int) []string, configs ...map[string]string) *scores.Set {
	t.Helper()
	e := &results.Experiment{Name: "e"}
	for i, c := range configs {
		var values []reportstest.Value
		for _, benchmark := range on(i) {
			values = append(values, reportstest.At(benchmark, "x", "", "AP", "1", float64(i)/1000))
		}
		e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("%04d-id", i), c, values...))
	}
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// configurations returns random configurations whose labels are hard to distinguish.
func configurations(random *rand.Rand) (configs []map[string]string) {
	models := []string{"bm25", "random", "uni(P)", "uni:P", "multi(P,I)", "bm25 fuse=random", "bm25 (model=bm25)", "A", "a", "my model", "my model first=bm25", "trained", "unnamed", "x (0001-id)", "bm25, selected on test"}
	keys := map[string][]string{
		"fuse": {"random", "bm25", "random+bm25"}, "first": {"bm25", "random"}, "depth": {"20", "100"}, "imported": {"mteb", "trec"}, "revision": {"r1", "r2"},
		"world": {"1", "2"}, "backbone": {"a", "b fuse=random"}, "design.pooling": {"cls", "mean"}, "weights": {strings.Repeat("a", 64), strings.Repeat("a", 63) + "b"}, "seed": {"1", "2"},
	}
	names := []string{"fuse", "first", "depth", "imported", "revision", "world", "backbone", "design.pooling", "weights", "seed"}
	for range 2 + random.IntN(8) {
		c := map[string]string{"model": models[random.IntN(len(models))]}
		if random.IntN(4) == 0 {
			c["loss"] = []string{"uni(P)", "multi(P,I)", "margin@1", "bm25"}[random.IntN(4)]
		}
		for _, key := range names {
			if random.IntN(4) == 0 {
				c[key] = keys[key][random.IntN(len(keys[key]))]
			}
		}
		configs = append(configs, c)
	}
	return configs
}

// TestLabelsAreUnique checks for random configurations that labels differ, and that each
// label finds its system, in reports and commands.
func TestLabelsAreUnique(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for round := range 3000 {
		v := setOf(t, configurations(random)...)
		of := map[string]*scores.System{}
		for _, s := range v.Systems {
			if other := of[s.Label]; other != nil {
				t.Fatalf("round %d: %v and %v are both called %q", round, other.Config(), s.Config(), s.Label)
			}
			of[s.Label] = s
		}
		for _, s := range v.Systems {
			for _, name := range []string{s.Label, results.AsTyped(s.Label), " " + s.Label} {
				if found, err := v.Named(name); err != nil || found != s {
					t.Fatalf("round %d: %q of %v means %v, %v", round, name, s.Config(), found, err)
				}
			}
			if s.Config()["fuse"] != "" && !strings.Contains(s.Label, "fuse=") || s.Config()["first"] != "" && !strings.Contains(s.Label, "first=") {
				t.Fatalf("round %d: %v is called %q", round, s.Config(), s.Label)
			}
		}
	}
}

// TestLabelsOfBoardsAreUnique checks that a label means one system over all boards of a
// page and their common set, for any division into boards and any order of them.
func TestLabelsOfBoardsAreUnique(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for round := range 3000 {
		v := setOn(t, func(int) []string {
			return [][]string{{"A"}, {"A"}, {"B"}, {"B"}, {"C"}, {"C", "D"}}[random.IntN(6)]
		}, configurations(random)...)
		of := map[string]string{}
		check := func(board *scores.Set) {
			for _, s := range board.Systems {
				label, id := results.AsLabel(strings.Join(strings.Fields(s.Label), " ")), scores.Identity(s.Trials[0])
				if other, ok := of[label]; ok && other != id {
					t.Fatalf("round %d: %q and %q are both called %q", round, other, id, s.Label)
				}
				of[label] = id
			}
		}
		check(v)
		for _, p := range v.Split() {
			check(p.View)
		}
	}
}

// TestLabelsOfBoards checks labels across boards. A system on several boards keeps its
// label. Systems with equal labels get the keys that distinguish them, and no other.
func TestLabelsOfBoards(t *testing.T) {
	type config = map[string]string
	for _, c := range []struct {
		about         string
		first, second []config
		want          []string
	}{
		{"two worlds", []config{{"model": "bm25", "world": "1"}, {"model": "random", "world": "1"}}, []config{{"model": "bm25", "world": "2"}}, []string{"bm25 world=1", "random", "bm25 world=2"}},
		{"one system", []config{{"model": "bm25"}, {"model": "a"}}, []config{{"model": "bm25", "seed": "2"}, {"model": "c"}}, []string{"a", "bm25", "c"}},
		{"losses of two backbones", []config{{"model": "trained", "loss": "uni(P)", "backbone": "a"}}, []config{{"model": "trained", "loss": "uni(P)", "backbone": "b"}}, []string{"uni(P) backbone=a", "uni(P) backbone=b"}},
		{"a model with a name like a label", []config{{"model": "bm25", "fuse": "random"}, {"model": "bm25", "fuse": "a"}}, []config{{"model": "bm25 fuse=a"}}, []string{"bm25 fuse=random", "bm25 fuse=a (fuse=a model=bm25)", "bm25 fuse=a (model=bm25 fuse=a)"}},
		{"other names", []config{{"model": "a", "world": "1"}}, []config{{"model": "b", "world": "2"}}, []string{"a", "b"}},
	} {
		v := setOn(t, func(i int) []string {
			if i < len(c.first) {
				return []string{"A"}
			}
			return []string{"B"}
		}, append(c.first, c.second...)...)
		var got []string
		for _, p := range v.Split() {
			for _, s := range p.View.Systems {
				got = append(got, s.Label)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

// TestNamed checks that a name finds the system with that label, else the only one that it
// fits. Several matches are listed as they must be typed.
func TestNamed(t *testing.T) {
	plain, fused, deep := map[string]string{"model": "bm25"}, map[string]string{"model": "bm25", "fuse": "random"}, map[string]string{"model": "bm25", "fuse": "constant"}
	loss := func(loss, batch string) map[string]string {
		return map[string]string{"model": "m", "loss": loss, "train.batch": batch}
	}
	for _, c := range []struct {
		about       string
		configs     []map[string]string
		name, means string
		fails       []string
	}{
		{"the fused one comes first", []map[string]string{fused, plain}, "bm25", "bm25", nil},
		{"the fused one comes last", []map[string]string{plain, fused}, "bm25", "bm25", nil},
		{"alone", []map[string]string{fused}, "bm25", "bm25 fuse=random", nil},
		{"two fused ones", []map[string]string{fused, deep}, "bm25", "", []string{"bm25 fuse=random", "bm25 fuse=constant", "ambiguous"}},
		{"by what tells them apart", []map[string]string{fused, deep}, "bm25 fuse=constant", "bm25 fuse=constant", nil},
		{"a loss of one system", []map[string]string{loss("uni(P)", "8"), loss("multi(P,I)", "8")}, "uni:P", "uni(P)", nil},
		{"a loss of several", []map[string]string{loss("uni(P)", "8"), loss("uni(P)", "16")}, "uni:P", "", []string{"uni:P train.batch=8", "uni:P train.batch=16"}},
		{"unknown", []map[string]string{plain}, "bm26", "", nil},
	} {
		v := setOf(t, c.configs...)
		found, err := v.Named(c.name)
		if got := labelOf(found); got != c.means || (err != nil) != (c.fails != nil) {
			t.Errorf("%s: %q means %q, %v", c.about, c.name, got, err)
		}
		for _, text := range c.fails {
			if !strings.Contains(fmt.Sprint(err), text) {
				t.Errorf("%s: %v, want %q", c.about, err, text)
			}
		}
	}
}

func labelOf(s *scores.System) string {
	if s == nil {
		return ""
	}
	return s.Label
}
