package scores

import (
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/runners/results"
)

func viewOf(t *testing.T, trials ...results.Trial) *Set {
	t.Helper()
	v, err := New([]*results.Experiment{{Name: "e", Trials: trials}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPivotMeans checks means computed by hand. a has two tasks of unequal size, two seeds
// and an undefined query; b has finished one of two seeds; c has nothing.
func TestPivotMeans(t *testing.T) {
	nan := math.NaN()
	a := func(seed string) map[string]string { return map[string]string{"model": "a", "seed": seed} }
	v := viewOf(t,
		reportstest.TrialOf("a1", a("1"), reportstest.At("B", "x", "", "AP", "1", .2), reportstest.At("B", "x", "", "AP", "2", .4), reportstest.At("B", "y", "", "AP", "1", .9)),
		reportstest.TrialOf("a2", a("2"), reportstest.At("B", "x", "", "AP", "1", .4), reportstest.At("B", "x", "", "AP", "2", .6), reportstest.At("B", "y", "", "AP", "1", .7)),
		reportstest.TrialOf("b1", map[string]string{"model": "b", "seed": "1"}, reportstest.At("B", "x", "", "AP", "1", 1), reportstest.At("B", "x", "", "AP", "2", nan), reportstest.At("B", "y", "", "AP", "1", nan)),
		results.Trial{ID: "b2", State: results.Failed, Config: map[string]string{"model": "b", "seed": "2"}},
		results.Trial{ID: "c", State: results.Waiting, Config: map[string]string{"model": "c"}},
	)
	grids, err := v.Pivot(Projection{Row: []string{"model"}, Col: []string{"task", "measure"}})
	if err != nil {
		t.Fatal(err)
	}
	g := grids[0]
	want := [][]Cell{
		{{State: Whole, Value: .4, Queries: 2, Tests: 1, Trials: 2, Planned: 2}, {State: Whole, Value: .8, Queries: 1, Tests: 1, Trials: 2, Planned: 2}},
		{{State: Partial, Value: 1, Queries: 1, Undefined: 1, Tests: 1, Trials: 1, Planned: 2}, {State: Undefined, Undefined: 1, Planned: 2}},
		{{State: Missing, Planned: 1}, {State: Missing, Planned: 1}},
	}
	for i, row := range g.Rows {
		for j := range g.Cols {
			got := g.Cells[i][j]
			if math.Abs(got.Value-want[i][j].Value) > 1e-12 || got.State != want[i][j].State || got.Queries != want[i][j].Queries ||
				got.Undefined != want[i][j].Undefined || got.Tests != want[i][j].Tests || got.Trials != want[i][j].Trials || got.Planned != want[i][j].Planned {
				t.Errorf("%v %v = %+v, want %+v", row, g.Cols[j], got, want[i][j])
			}
		}
	}

	macro, err := v.Pivot(Projection{Row: []string{"model"}, Col: []string{"measure"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := macro[0].Cells[0][0]; math.Abs(got.Value-.6) > 1e-12 || got.State != Whole || got.Tests != 2 || got.Queries != 3 {
		t.Errorf("mean over tasks of a = %+v, want .6 = mean(mean(.3,.9), mean(.5,.7)) over 2 tasks, 3 queries", got)
	}
	if got := macro[0].Cells[1][0]; got.State != Undefined {
		t.Errorf("mean over tasks of b = %+v, want undefined, as that of y is", got)
	}
	if want := []string{"queries", "seed (2 values)", "task (2 values)"}; !slices.Equal(macro[0].Hidden, want) {
		t.Errorf("hidden = %q, want %q", macro[0].Hidden, want)
	}
}

// TestUnsetKeys checks that trials without a key have a row and a column with a mark for
// it.
func TestUnsetKeys(t *testing.T) {
	v := viewOf(t,
		reportstest.TrialOf("1", map[string]string{"model": "a", "loss": "uni(P)"}, reportstest.At("b", "t", "", "AP", "q", .5)),
		reportstest.TrialOf("2", map[string]string{"model": "bm25"}, reportstest.At("b", "t", "", "AP", "q", .25)))
	for _, p := range []Projection{{Row: []string{"loss"}}, {Row: []string{"benchmark"}, Col: []string{"loss"}}} {
		grids, err := v.Pivot(p)
		if err != nil {
			t.Fatal(err)
		}
		table := grids[0].AsTable("x")
		var names []string
		for _, r := range table.Rows {
			names = append(names, r.Entries[0].Text)
		}
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		if !slices.Contains(names, words.UnsetMark) || slices.Contains(names, "") {
			t.Errorf("%v: rows and columns %q", p, names)
		}
	}
}

// TestPivotKeepsApart checks that different measures, sides and realms are never averaged.
func TestPivotKeepsApart(t *testing.T) {
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "a"},
		reportstest.At("B", "x", "original", "AP", "1", .2), reportstest.At("B", "x", "changed", "AP", "1", .2), reportstest.At("B", "x", "", "p-MRR", "1", .2)))
	for _, c := range []struct {
		p    Projection
		want string
	}{
		{Projection{Row: []string{"model"}}, "put side on an axis"},
		{Projection{Row: []string{"model"}, Col: []string{"side"}}, ""},
		{Projection{Row: []string{"model"}, Filters: []Filter{{"side", []string{""}}}}, ""},
		{Projection{Row: []string{"modle"}}, `did you mean "model"?`},
		{Projection{Row: []string{"model"}, Col: []string{"model"}}, "used on two axes"},
		{Projection{Row: []string{"model"}, Filters: []Filter{{"lss", nil}}}, `unknown key "lss"`},
	} {
		_, err := v.Pivot(c.p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.p, err, c.want)
		}
	}
}

func TestParseFilter(t *testing.T) {
	f, err := ParseFilter("loss=uni(P,I),uni(P)")
	if err != nil || f.Key != "loss" || !slices.Equal(f.Values, []string{"uni(P,I)", "uni(P)"}) {
		t.Errorf("ParseFilter = %+v, %v; want the commas inside parentheses kept", f, err)
	}
	if _, err := ParseFilter("loss"); err == nil {
		t.Error("a filter without = is accepted")
	}
}

// TestLabels checks that labels contain the settings that distinguish systems.
func TestLabels(t *testing.T) {
	config := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	v := viewOf(t,
		results.Trial{ID: "1", Config: config("model", "random", "seed", "1")},
		results.Trial{ID: "2", Config: config("model", "trained", "loss", "uni(P)", "train.lr", "0.1", "seed", "1", "epochs", "2")},
		results.Trial{ID: "3", Config: config("model", "trained", "loss", "uni(P)", "train.lr", "0.2", "seed", "1", "epochs", "2")},
		results.Trial{ID: "4", Config: config("model", "trained", "loss", "uni(P)", "train.lr", "0.2", "seed", "2", "epochs", "2")},
		results.Trial{ID: "5", Config: config("model", "bm25", "world", "1")},
		results.Trial{ID: "6", Config: config("model", "bm25", "world", "2")},
		results.Trial{ID: "my-evaluation"}, results.Trial{ID: "other"},
	)
	var got []string
	for _, s := range v.Systems {
		got = append(got, s.Label)
	}
	want := []string{"uni(P) train.lr=0.1", "uni(P) train.lr=0.2", "bm25 world=1", "bm25 world=2", "my-evaluation", "other", "random"}
	if !slices.Equal(got, want) {
		t.Errorf("systems = %q, want %q", got, want)
	}
}

// TestPivotUnset checks that a setting that no trial has is "not set" for all trials, not
// an unknown key.
func TestPivotUnset(t *testing.T) {
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "bm25"}, reportstest.At("B", "x", "", "AP", "1", .2)))
	grids, err := v.Pivot(Projection{Row: []string{"design.pooling"}, Col: []string{"measure"}})
	if err != nil || len(grids) != 1 || len(grids[0].Rows) != 1 || grids[0].Rows[0][0] != "" {
		t.Errorf("%v %+v", err, grids)
	}
	if _, err := v.Pivot(Projection{Row: []string{"design.poolin"}}); err == nil {
		t.Error("an unknown key is accepted")
	}
}
