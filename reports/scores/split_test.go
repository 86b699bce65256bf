package scores_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestSettingOfBoards checks that the heading of a board has the settings that all of its
// systems share, and no other. Settings of single systems are in their labels.
func TestSettingOfBoards(t *testing.T) {
	type config = map[string]string
	for _, c := range []struct {
		name           string
		first, second  []config
		headings, rows []string
	}{
		{"shared", []config{{"model": "bm25", "world": "1"}, {"model": "random", "world": "1"}}, []config{{"model": "bm25", "world": "2"}},
			[]string{"world=1", "model=bm25 world=2"}, []string{"bm25 world=1", "random", "bm25 world=2"}},
		{"one is fused", []config{{"model": "bm25", "fuse": "random"}, {"model": "bm25"}}, []config{{"model": "random"}, {"model": "constant"}},
			[]string{"model=bm25", ""}, []string{"bm25 fuse=random", "bm25", "random", "constant"}},
		{"one has a first stage", []config{{"model": "m", "first": "bm25", "depth": "20"}, {"model": "bm25"}}, []config{{"model": "random"}, {"model": "constant"}},
			[]string{"", ""}, []string{"m depth=20 first=bm25", "bm25", "random", "constant"}},
		{"all are fused", []config{{"model": "bm25", "fuse": "a"}, {"model": "m", "fuse": "a"}}, []config{{"model": "random"}, {"model": "constant"}},
			[]string{"fuse=a", ""}, []string{"bm25 fuse=a", "m fuse=a", "random", "constant"}},
		{"one is imported", []config{{"model": "m", "imported": "mteb"}, {"model": "bm25"}}, []config{{"model": "n", "imported": "trec"}, {"model": "random"}},
			[]string{"", ""}, []string{"m", "bm25", "n", "random"}},
	} {
		e := &results.Experiment{Name: "e"}
		for i, configs := range [][]config{c.first, c.second} {
			for _, of := range configs {
				e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("%d-id", len(e.Trials)), of, reportstest.At(string(rune('A'+i)), "x", "", "AP", "1", .5)))
			}
		}
		v, err := scores.New([]*results.Experiment{e})
		if err != nil {
			t.Fatal(err)
		}
		var headings, rows []string
		for _, p := range v.Split() {
			headings = append(headings, p.Setting)
			for _, s := range p.View.Systems {
				rows = append(rows, s.Label)
			}
		}
		slices.Sort(rows)
		slices.Sort(c.rows)
		if !slices.Equal(headings, c.headings) || !slices.Equal(rows, c.rows) {
			t.Errorf("%s: headings %q, rows %q; want %q, %q", c.name, headings, rows, c.headings, c.rows)
		}
	}
}

// TestJoinedBoards checks that a system with a trial for each benchmark joins them, as evaluations in
// two folders do, and that boards give the reason for being apart.
func TestJoinedBoards(t *testing.T) {
	type config = map[string]string
	for _, c := range []struct {
		name          string
		first, second config
		boards        int
		why           string
	}{
		{"one system in two folders", config{"model": "bm25", "seed": "1"}, config{"model": "bm25"}, 1, ""},
		{"two worlds", config{"model": "bm25", "world": "1"}, config{"model": "bm25", "world": "2"}, 2, "A board of its own, as no system was run both on its benchmarks and on those of another board; bm25 has world=1 here and world=2 there."},
		{"one with another depth", config{"model": "m"}, config{"model": "m", "depth": "20"}, 2, "m has no depth here and depth=20 there."},
		{"two models", config{"model": "bm25"}, config{"model": "random"}, 2, "as no system was run both on its benchmarks and on those of another board."},
	} {
		var all []*results.Experiment
		for i, of := range []config{c.first, c.second} {
			all = append(all, &results.Experiment{Name: fmt.Sprint("e", i), Trials: []results.Trial{
				reportstest.TrialOf(fmt.Sprintf("%d-id", i), of, reportstest.At(string(rune('A'+i)), "x", "", "AP", "1", .5))}})
		}
		v, err := scores.New(all)
		if err != nil {
			t.Fatal(err)
		}
		parts := v.Split()
		if len(parts) != c.boards || !strings.HasSuffix(parts[0].Why, c.why) || (c.why == "") != (parts[0].Why == "") {
			t.Errorf("%s: %d boards, %q; want %d, %q", c.name, len(parts), parts[0].Why, c.boards, c.why)
		}
	}
}
