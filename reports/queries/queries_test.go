package queries_test

import (
	"slices"
	"strings"
	"testing"

	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// set returns two systems on queries q1 to q4 of one task. a has the values .1, .5, .9 and
// none; b has .4, .2, .9 and .3.
func set(t *testing.T, measure string) *scores.Set {
	t.Helper()
	e := &results.Experiment{Name: "e"}
	for model, values := range map[string][]float64{"a": {.1, .5, .9}, "b": {.4, .2, .9, .3}} {
		trial := results.Trial{ID: model, State: results.Done, Config: results.Config{results.Model: model}}
		for i, v := range values {
			id := string(rune('1' + i))
			trial.Results = append(trial.Results, results.Result{Benchmark: "own", Task: "test", Query: "q" + id, Measure: measure, Value: &v})
			trial.Queries = append(trial.Queries, results.QueryRecord{Benchmark: "own", Task: "test", Query: "q" + id, Text: "What is Thing " + id, Instruction: "only the red one"})
		}
		e.Trials = append(e.Trials, trial)
	}
	slices.SortFunc(e.Trials, func(a, b results.Trial) int { return strings.Compare(a.ID, b.ID) })
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSort sorts rows in every order. Rows without a number come last, also in reverse. If
// lower is better, the highest value is the worst.
func TestSort(t *testing.T) {
	for _, test := range []struct {
		measure, order string
		reverse        bool
		want           string
	}{
		{"nDCG@10", queries.ByDifference, false, "q1 q3 q2 q4"},
		{"nDCG@10", queries.ByDifference, true, "q2 q3 q1 q4"},
		{"nDCG@10", queries.ByA, false, "q1 q2 q3 q4"},
		{"nDCG@10", queries.ByA, true, "q3 q2 q1 q4"},
		{"nDCG@10", queries.ByB, false, "q2 q4 q1 q3"},
		{"nDCG@10", queries.ByID, true, "q4 q3 q2 q1"},
		{"Unjudged@10", queries.ByDifference, false, "q2 q3 q1 q4"},
		{"Unjudged@10", queries.ByA, false, "q3 q2 q1 q4"},
	} {
		v := set(t, test.measure)
		var rows []queries.Row
		for _, q := range queries.All(v) {
			on, ok := queries.Main(v, q)
			if !ok {
				t.Fatal("no value of", q.Name())
			}
			rows = append(rows, queries.NewRow(q, on, v.Systems[0], v.Systems[1]))
		}
		queries.Sort(rows, test.order, test.reverse)
		var got []string
		for _, r := range rows {
			got = append(got, r.ID)
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s by %s, reverse %v: %s, want %s", test.measure, test.order, test.reverse, text, test.want)
		}
	}
}

// TestHas searches all texts of a query, ignoring case.
func TestHas(t *testing.T) {
	q := queries.All(set(t, "nDCG@10"))[0]
	for search, want := range map[string]bool{"": true, "thing": true, "RED what": true, "own/test/Q1": true, "thing 2": false, "blue": false} {
		if q.Has(search) != want {
			t.Errorf("%q: %v", search, !want)
		}
	}
}

// TestFirst checks that the default system is the best trained one, and that it is
// compared with the best of the others if its starting point is not there.
func TestFirst(t *testing.T) {
	v := set(t, "nDCG@10")
	q := queries.All(v)[0]
	if a := queries.First(v, q); a.Label != "a" { // a mean of .5 against .45
		t.Errorf("first is %s", a.Label)
	}
	if b := queries.Against(v, v.Systems[0], q); b.Label != "b" {
		t.Errorf("against is %s", b.Label)
	}
	v.Systems[1].Kind = "trained"
	if a := queries.First(v, q); a.Label != "b" {
		t.Errorf("first of the trained is %s", a.Label)
	}
}
