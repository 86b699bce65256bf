package reports

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// TestWorlds checks that generated benchmarks of two worlds get a board each, with an
// ablation that does not depend on the other world. Labels of both name the world.
func TestWorlds(t *testing.T) {
	e := reportstest.Fixture(1)
	other := reportstest.Fixture(1)
	for _, tr := range other.Trials {
		tr.ID += "-2"
		tr.Config["world"] = "2"
		tr.Provenance.Benchmarks = slices.Clone(tr.Provenance.Benchmarks)
		for i := range tr.Provenance.Benchmarks {
			tr.Provenance.Benchmarks[i].Revision = "world 2, format 1"
		}
		e.Trials = append(e.Trials, tr)
	}
	late := maps.Clone(other.Trials[0].Config)
	late["loss"] = "uni(ST)"
	e.Trials = append(e.Trials, results.Trial{ID: "late", State: results.Waiting, Config: late})
	r := build(t, Options{}, e)
	if len(r.Boards) != 2 {
		t.Fatalf("%d boards, want one a world", len(r.Boards))
	}
	for i, b := range r.Boards {
		world := []string{"world=1", "world=2"}[i]
		if b.Name() != "Synthetic benchmarks "+world {
			t.Errorf("board %d is named %q", i, b.Name())
		}
		rows := b.Leaderboard.Rows
		if want := []int{15, 16}[i]; len(rows) != want || rows[0].Entries[0].Text != "multi(P,I,IQ) "+world || len(b.Leaderboard.Columns) != 6 {
			t.Errorf("board %s has %d rows, first %v, %d columns; want %d rows, 6 columns", world, len(rows), rows[0].Entries[0].Text, len(b.Leaderboard.Columns), want)
		}
		ablation, curves := r.Section(b.ID+"-ablation").Figures, r.Section(b.ID+"-training").Figures
		if len(ablation) != 5 || len(b.Families) != 3 || len(curves) != 2 {
			t.Errorf("board %s: %d ablations, %d families, %d curves", world, len(ablation), len(b.Families), len(curves))
		}
	}
	if n := strings.Count(strings.Join(r.Lead, "\n"), "generated text"); n != 1 {
		t.Errorf("the synthetic warning stands %d times in the lead, want once", n)
	}
}

// TestRealmsSplit checks that a trial on real and generated data is on two boards, and
// that no board mixes them.
func TestRealmsSplit(t *testing.T) {
	tr := reportstest.TrialOf("a", map[string]string{"model": "bm25"},
		reportstest.At("mini", "x", "", "AP", "1", .2), reportstest.At("bright", "x", "", "AP", "1", .3))
	tr.Provenance.Benchmarks = []results.Benchmark{{Name: "mini", Synthetic: true}, {Name: "bright"}}
	r := build(t, Options{}, &results.Experiment{Name: "e", Trials: []results.Trial{tr}})
	if len(r.Boards) != 2 || r.Boards[0].Realm != scores.Real || r.Boards[1].Realm != scores.Synthetic ||
		len(r.Boards[0].Benchmarks) != 1 || len(r.Boards[1].Benchmarks) != 1 {
		t.Errorf("boards = %+v", r.Boards)
	}
}

// TestTwoBackbones checks that a second axis gets its own ablation.
func TestTwoBackbones(t *testing.T) {
	e := reportstest.Fixture(1)
	for _, tr := range reportstest.Fixture(1).Trials[:11] {
		tr.ID += "-2"
		tr.Config["backbone"] = "tiny-llama"
		e.Trials = append(e.Trials, tr)
	}
	r := build(t, Options{}, e)
	b := r.Boards[0]
	ablation := r.Section(b.ID + "-ablation").Figures
	if len(ablation) != 10 || !strings.HasSuffix(ablation[9].Title, "backbone=tiny-llama") {
		t.Errorf("%d ablations, last %q; want 5 a backbone", len(ablation), ablation[len(ablation)-1].Title)
	}
}

// TestFullNames checks that a label means one system on all boards, so that its complete name is that
// system's.
func TestFullNames(t *testing.T) {
	e := &results.Experiment{Name: "e"}
	for id, at := range [][2]string{{"/models/x/final", "mini"}, {"bm25", "mini"}, {"/models/y/final", "bright"}, {"bge", "bright"}} {
		tr := reportstest.TrialOf(string(rune('a'+id)), map[string]string{"model": at[0]}, reportstest.At(at[1], "x", "", "AP", "1", .2))
		tr.Provenance.Benchmarks = []results.Benchmark{{Name: at[1]}}
		e.Trials = append(e.Trials, tr)
	}
	r := build(t, Options{}, e)
	if len(r.Boards) != 2 {
		t.Fatalf("%d boards, want 2", len(r.Boards))
	}
	for i := range r.Sections {
		for _, tb := range r.Sections[i].AllTables() {
			for _, row := range tb.Rows {
				for _, entry := range row.Entries {
					if entry.Full != "" && entry.Full != "/models/"+entry.Text {
						t.Errorf("%s: the complete name of %q is %q", tb.ID, entry.Text, entry.Full)
					}
				}
			}
		}
	}
	for i, want := range []string{"/models/x/final", "/models/y/final"} {
		if !slices.ContainsFunc(r.Boards[i].Leaderboard.Rows, func(row table.Row) bool { return row.Entries[0].Full == want }) {
			t.Errorf("board %d has no row with the complete name %s", i+1, want)
		}
	}
}
