package reports

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/table"
	"infbench/runners/results"
)

// briefOf builds a report and returns its first screen.
func briefOf(t *testing.T, o Options, exps ...*results.Experiment) *Report {
	t.Helper()
	r, err := Build(exps, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Brief()
}

// The first screen is the board, sorted, in the colours of the tests, and three
// sentences; a report itself stays as it is.
func TestBrief(t *testing.T) {
	r, err := Build([]*results.Experiment{reportstest.Small()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	order, notes := labelsOf(r.Boards[0].Leaderboard), len(r.Boards[0].Leaderboard.Notes)
	brief := r.Brief()
	if len(brief.Sections) != 1 || len(brief.Sections[0].Tables) != 1 || len(brief.Sections[0].Parts[0].Notes) != 3 {
		t.Fatalf("sections %+v", brief.Sections)
	}
	shown := brief.Sections[0].Tables[0]
	if got, want := labelsOf(shown), []string{"multi(P,I)", "uni(P)", "untrained", "uni(I)"}; !slices.Equal(got, want) {
		t.Errorf("sorted %v, want %v", got, want)
	}
	if e := shown.Rows[0].Entries[1]; e.Tone != table.Better || !e.Best {
		t.Errorf("a number that a test shows to be better is %+v", e)
	}
	for i, want := range []string{
		"Best: multi(P,I) in p-MRR on mini-followir/headline (+15.1), AP@1000 original on mini-followir/headline (50.2), nDCG@5 original on mini-followir/headline (60.2).",
		"Against the untrained encoder: trained systems are better in 3 of 6 tests and worse in 0; no difference is shown for uni(P) in p-MRR on mini-followir/headline, uni(P) in AP@1000 original on mini-followir/headline, uni(P) in nDCG@5 original on mini-followir/headline. 3 comparisons were not tested. A verdict on a system that was trained once holds for that training run only.",
		"Controls: this board has none.",
	} {
		if got := brief.Sections[0].Parts[0].Notes[i]; got != want {
			t.Errorf("sentence %d:\n%s\nwant\n%s", i+1, got, want)
		}
	}
	if !slices.Equal(labelsOf(r.Boards[0].Leaderboard), order) || len(r.Boards[0].Leaderboard.Notes) != notes || !strings.Contains(r.Boards[0].Leaderboard.Caption, "unweighted means") {
		t.Error("the report changed with its first screen")
	}
}

// If no trial has a value, the first screen names the failure and the remedy, and has no
// table.
func TestBriefWithoutValues(t *testing.T) {
	failed := func(message string) results.Trial { return results.Trial{State: results.Failed, Error: message} }
	for _, c := range []struct {
		name   string
		trials []results.Trial
		want   []string
	}{
		{"all alike", []results.Trial{failed("no disk."), failed("no disk."), failed("no disk.")},
			[]string{"3 planned trials: 3 failed.", "The first error, in uni(P) (and of 2 more): no disk. ", "infbench retry"}},
		{"some failed", []results.Trial{{State: results.Waiting}, failed("boom"), {State: results.Stopped, Error: "hopeless"}},
			[]string{"3 planned trials: 1 failed, 1 stopped as hopeless.", "The first error, in multi(P,I): boom. "}},
		{"no error recorded", []results.Trial{failed("")}, []string{"The first error, in uni(P): none was recorded. "}},
		{"not begun", []results.Trial{{State: results.Waiting}, {State: results.Running}}, []string{"2 planned trials: none has finished.", "infbench sweep continues"}},
		{"without a value", []results.Trial{{State: results.Done}}, []string{"1 planned trial: 1 finished without a value."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.trials {
				c.trials[i].ID = fmt.Sprint(i)
				c.trials[i].Config = map[string]string{"model": "trained", "loss": []string{"uni(P)", "multi(P,I)", "uni(I)"}[i], "seed": "1"}
			}
			brief := briefOf(t, Options{}, &results.Experiment{Name: "x", Trials: c.trials, Planned: true})
			said := strings.Join(brief.Lead, " ") + " "
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%s\nlacks %q", said, want)
				}
			}
			if len(brief.Sections) > 0 {
				t.Errorf("sections %+v", brief.Sections)
			}
		})
	}
}

func labelsOf(t *table.Table) []string {
	var out []string
	for _, r := range t.Rows {
		out = append(out, r.Entries[0].Text)
	}
	return out
}

// A column goes by its heading, measure, benchmark or task, where only one does.
func TestSort(t *testing.T) {
	for _, c := range []struct{ column, first, fails string }{
		{"mini-followir/headline nDCG@5 original", "multi(P,I)", ""},
		{"ndcg@5", "multi(P,I)", ""},
		{"p-MRR", "multi(P,I)", ""},
		{"system", "multi(P,I)", ""},
		{"mini-followir", "", "could be"},
		{"nDCG@6", "", "did you mean"},
	} {
		r, err := Build([]*results.Experiment{reportstest.Small()}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Sort(c.column)
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.column, err, c.fails)
		}
		if board := r.Boards[0].Leaderboard; err == nil && (board.Rows[0].Entries[0].Text != c.first || !strings.Contains(board.Caption, "Sorted by ")) {
			t.Errorf("%s: %v, %s", c.column, labelsOf(board), board.Caption)
		}
	}
}

// Fewer measures are shown, and the tests stay those of all.
func TestMeasuresNarrow(t *testing.T) {
	all, err := Build([]*results.Experiment{reportstest.Small()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Build([]*results.Experiment{reportstest.Small()}, Options{Measures: []string{"p-MRR"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Boards[0].Leaderboard.Columns); n != 2 {
		t.Errorf("%d columns, want system and p-MRR", n)
	}
	for _, table := range r.Tables() {
		for _, c := range table.Columns {
			if strings.Contains(c.Flat(), "nDCG") || strings.Contains(c.Flat(), "AP@") {
				t.Errorf("table %s has a column %s", table.ID, c.Flat())
			}
		}
	}
	before, after := all.Boards[0].Families[0].Contrasts, r.Boards[0].Families[0].Contrasts
	if len(before) != len(after) || before[0].Adjusted != after[0].Adjusted {
		t.Error("fewer measures are corrected over fewer tests")
	}
	if _, err := Build([]*results.Experiment{reportstest.Small()}, Options{Measures: []string{"nDCG@50"}}); err == nil || !strings.Contains(err.Error(), `did you mean "nDCG@5"`) {
		t.Errorf("unknown measure: %v", err)
	}
	again, err := Build([]*results.Experiment{reportstest.Small()}, r.Data.BuildOptions())
	if err != nil || len(again.Boards[0].Numbers) != 1 {
		t.Errorf("a page does not carry which measures it shows: %v", err)
	}
}

// Any measure that was measured can be shown, whether or not leaderboards show it by
// themselves, and the page that shows it says the same when it is built again.
func TestMeasuresOfBoards(t *testing.T) {
	at := func(benchmark string, tasks []string, side string, measures ...string) (all []reportstest.Value) {
		for _, task := range tasks {
			for _, m := range measures {
				for i, v := range []float64{.1, .5, .3, .8} {
					all = append(all, reportstest.At(benchmark, task, side, m, fmt.Sprintf("q%d", i), v))
				}
			}
		}
		return all
	}
	flat := at("flat", []string{"x", "y"}, "", "nDCG@10", "R@100", "RR")
	part := append(at("part", []string{"x", "y"}, "", "nDCG@10"), at("part", []string{"y"}, "", "R@100")...)
	head := append(at("head", []string{"headline", "slice"}, "", "nDCG@10", "R@100"), at("head", []string{"slice"}, "", "RR")...)
	paired := append(at("paired", []string{"x"}, "", "p-MRR"), append(at("paired", []string{"x"}, "original", "AP", "R@100"), at("paired", []string{"x"}, "changed", "AP", "R@100")...)...)
	for _, c := range []struct {
		name     string
		values   []reportstest.Value
		measures []string
		want     string // columns
		fails    string
	}{
		{"the first", flat, []string{"nDCG@10"}, "nDCG@10 of x, y", ""},
		{"another", flat, []string{"R@100"}, "R@100 of x, y", ""},
		{"two others", flat, []string{"RR", "R@100"}, "R@100 of x, y; RR of x, y", ""},
		{"first and other", flat, []string{"RR", "nDCG@10"}, "nDCG@10 of x, y; RR of x, y", ""},
		{"of one task", part, []string{"R@100"}, "R@100 of y", ""},
		{"of a headline", head, []string{"R@100"}, "R@100 of headline", ""},
		{"of pairs", paired, []string{"R@100"}, "R@100 of x", ""},
		{"of slices alone", head, []string{"RR"}, "", "no leaderboard shows RR"},
		{"near", flat, []string{"R@10"}, "", `did you mean "R@100"`},
		{"unknown", head, []string{"ERR"}, "", "known: nDCG@10, R@100, RR"},
	} {
		e := &results.Experiment{Name: "e"}
		for _, model := range []string{"bm25", "random"} {
			e.Trials = append(e.Trials, reportstest.TrialOf(model, map[string]string{"model": model}, c.values...))
		}
		r, err := Build([]*results.Experiment{e}, Options{Measures: c.measures, Reference: "bm25"})
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.fails)
		}
		if err != nil {
			continue
		}
		var got []string
		for _, n := range r.Boards[0].Numbers {
			got = append(got, n.Measure+" of "+strings.Join(n.Tasks, ", "))
			if r.Boards[0].Families[0].On(n) == nil {
				t.Errorf("%s: %s is not tested", c.name, n.Measure)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: columns %s, want %s", c.name, text, c.want)
		}
		again, err := Build([]*results.Experiment{e}, r.Data.BuildOptions())
		if err != nil || !reflect.DeepEqual(again.Boards[0].Leaderboard, r.Boards[0].Leaderboard) {
			t.Errorf("%s: the page is another when it is built again: %v", c.name, err)
		}
	}
}

// Any system can be what others are compared with, by its label.
func TestReferenceByLabel(t *testing.T) {
	brief := briefOf(t, Options{Reference: "uni(P)"}, reportstest.Small())
	if got := brief.Sections[0].Parts[0].Notes[1]; !strings.Contains(got, "Against the reference uni(P): trained systems are better in all 3 tests.") {
		t.Error(got)
	}
	if err := brief.CheckReference(); err != nil {
		t.Error(err)
	}
	r, err := Build([]*results.Experiment{reportstest.Small()}, Options{Reference: "uni(Q)"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CheckReference(); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("unknown reference: %v", err)
	}
}

// What others are compared with is the system of that name, in whatever order folders come:
// never another that the name fits, too, and an error lists those that it fits.
func TestReferenceIsOneSystem(t *testing.T) {
	bm25 := func(more ...string) map[string]string {
		c := map[string]string{"model": "bm25"}
		for i := 0; i < len(more); i += 2 {
			c[more[i]] = more[i+1]
		}
		return c
	}
	loss := func(name, backbone string) map[string]string {
		return map[string]string{"model": "m", "loss": name, "backbone": backbone}
	}
	start := func(backbone string, more ...string) map[string]string {
		c := bm25(append([]string{"backbone", backbone}, more...)...)
		c["model"] = "untrained"
		return c
	}
	random := map[string]string{"model": "random"}
	for _, c := range []struct {
		name      string
		configs   []map[string]string
		reference string
		want      string // system<reference of each contrast
		fails     []string
	}{
		{"fused first", []map[string]string{bm25("fuse", "random"), bm25(), random}, "bm25", "bm25 fuse=random<bm25 random<bm25", nil},
		{"fused last", []map[string]string{random, bm25(), bm25("fuse", "random")}, "bm25", "bm25 fuse=random<bm25 random<bm25", nil},
		{"first stage", []map[string]string{bm25("first", "random", "depth", "20"), bm25(), random}, "bm25", "bm25 depth=20 first=random<bm25 random<bm25", nil},
		{"imported", []map[string]string{bm25("imported", "mteb"), bm25(), random}, "bm25", "bm25 imported=mteb<bm25 random<bm25", nil},
		{"the fused one", []map[string]string{bm25(), bm25("fuse", "random"), random}, "bm25 fuse=random", "bm25<bm25 fuse=random random<bm25 fuse=random", nil},
		{"the only one", []map[string]string{bm25("fuse", "random"), random}, "bm25", "random<bm25 fuse=random", nil},
		{"two", []map[string]string{bm25("fuse", "random"), bm25("fuse", "constant"), random}, "bm25", "", []string{"ambiguous", "bm25 fuse=random", "bm25 fuse=constant"}},
		{"two losses", []map[string]string{loss("uni(P)", "a"), loss("uni(P)", "b"), loss("uni(I)", "a")}, "uni:P", "", []string{"uni:P backbone=a", "uni:P backbone=b"}},
		{"its own start", []map[string]string{start("b"), start("a"), loss("uni(P)", "a"), loss("uni(P)", "b")}, "untrained", "uni(P) backbone=a<untrained backbone=a uni(P) backbone=b<untrained backbone=b", nil},
		{"no start that is fused", []map[string]string{start("a", "fuse", "random"), start("a"), loss("uni(P)", "a")}, "", "uni(P)<untrained", nil},
		{"no start of its own", []map[string]string{start("a"), start("b"), loss("uni(P)", "a"), random}, "", "uni(P)<untrained backbone=a", nil},
	} {
		e := &results.Experiment{Name: "e"}
		for i, config := range c.configs {
			var values []reportstest.Value
			for q := range 4 {
				values = append(values, reportstest.At("B", "x", "", "AP", fmt.Sprint(q), .1*float64(i)+.01*float64(q*q)))
			}
			e.Trials = append(e.Trials, reportstest.TrialOf(fmt.Sprintf("%d-id", i), config, values...))
		}
		r, err := Build([]*results.Experiment{e}, Options{Reference: c.reference})
		if (err != nil) != (c.fails != nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, text := range c.fails {
			if err != nil && !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q", c.name, err, text)
			}
		}
		if err != nil {
			continue
		}
		var got []string
		for _, f := range r.Boards[0].Families {
			for _, of := range f.Contrasts {
				got = append(got, of.B.Label+"<"+of.A.Label)
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %s, want %s", c.name, text, c.want)
		}
		if err := r.CheckReference(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestBoardsApart checks that boards that could not be joined give the reason, on the first screen, too.
func TestBoardsApart(t *testing.T) {
	var all []*results.Experiment
	for i, world := range []string{"1", "2"} {
		all = append(all, &results.Experiment{Name: world, Trials: []results.Trial{
			reportstest.TrialOf(world, map[string]string{"model": "bm25", "world": world}, reportstest.At(string(rune('A'+i)), "x", "", "AP", "1", .5))}})
	}
	for _, brief := range []bool{false, true} {
		r := build(t, Options{Brief: brief}, all...)
		if brief {
			r = r.Brief()
		}
		var text strings.Builder
		for _, s := range r.Printed() {
			text.WriteString(s.Intro)
		}
		if n := strings.Count(text.String(), "A board of its own"); n != 2 || !strings.Contains(text.String(), "bm25 has world=1 here and world=2 there.") {
			t.Errorf("brief %v: %d reasons in %q", brief, n, text.String())
		}
	}
}
