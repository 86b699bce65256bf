package runs

import (
	"fmt"
	"strings"
	"testing"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// raced makes an experiment of two losses with two seeds each. Maps by loss and seed give their
// values on the test and on held-out queries.
func raced(t *testing.T, how spec.Select, test, validation map[string]float64) (*spec.Plan, *results.Experiment) {
	t.Helper()
	plan := &spec.Plan{Select: how}
	exp := &results.Experiment{}
	for _, backbone := range []string{"a", "b"} {
		for _, loss := range []string{"uni(P)", "uni(I)"} {
			for seed := int64(1); seed <= 2; seed++ {
				c := spec.DefaultCell()
				c.Backbone, c.Loss, c.Seed = backbone, loss, seed
				plan.Trials = append(plan.Trials, spec.Trial{Cell: c})
				key := fmt.Sprint(backbone, " ", loss, " ", seed)
				one := func(values map[string]float64, task string) []results.Result {
					v, other := values[key], 1-values[key]
					return []results.Result{
						{Benchmark: "x", Task: task, Query: "q", Measure: "AP", Value: &v},
						{Benchmark: "x", Task: "negation", Query: "q", Measure: "AP", Value: &other}, // next to a headline: does not count
					}
				}
				held := one(validation, "held-out")[:1]
				exp.Trials = append(exp.Trials, results.Trial{ID: key, State: results.Done, Results: one(test, headline), Validation: held})
			}
		}
	}
	return plan, exp
}

// Values chosen by hand: on the test, uni(I) is better for a, though not with each seed, and
// uni(P) for b; on held-out queries it is the other way round.
var (
	racedTest = map[string]float64{"a uni(P) 1": .5, "a uni(P) 2": .1, "a uni(I) 1": .4, "a uni(I) 2": .4,
		"b uni(P) 1": .3, "b uni(P) 2": .3, "b uni(I) 1": .2, "b uni(I) 2": .2}
	racedValidation = map[string]float64{"a uni(P) 1": .5, "a uni(P) 2": .5, "a uni(I) 1": .4, "a uni(I) 2": .4,
		"b uni(P) 1": .1, "b uni(P) 2": .1, "b uni(I) 1": .2, "b uni(I) 2": .2}
)

func TestMarkSelected(t *testing.T) {
	per := []string{"backbone"}
	for _, c := range []struct {
		how  spec.Select
		want string
	}{
		{spec.Select{On: spec.OnTest, Measure: "AP", Per: per}, "a uni(I) 1; a uni(I) 2; b uni(P) 1; b uni(P) 2"},
		{spec.Select{On: spec.OnValidation, Per: per}, "a uni(P) 1; a uni(P) 2; b uni(I) 1; b uni(I) 2"},
		{spec.Select{On: spec.OnTest, Measure: "AP", Per: []string{"data"}}, "a uni(I) 1; a uni(I) 2"},
		{spec.Select{}, ""},
	} {
		plan, exp := raced(t, c.how, racedTest, racedValidation)
		MarkSelected(plan, exp)
		var got []string
		for _, trial := range exp.Trials {
			if trial.Selection == (results.Selection{}) {
				continue
			}
			got = append(got, trial.ID)
			if trial.Selection.On != c.how.On || trial.Selection.Measure != "AP" {
				t.Errorf("%+v: marked %+v", c.how, trial.Selection)
			}
		}
		if strings.Join(got, "; ") != c.want || len(exp.Notes) > 0 {
			t.Errorf("%+v picked %v, want %s; notes %v", c.how, got, c.want, exp.Notes)
		}
	}
}

// For a measure that is better when lower, the lowest mean is selected, on the test and on
// held-out queries. A measure without a direction selects nothing.
func TestMarkSelectedByLower(t *testing.T) {
	for _, c := range []struct{ on, measure, want, note string }{
		{spec.OnTest, "Unjudged@10", "a uni(P) 1; a uni(P) 2; b uni(I) 1; b uni(I) 2", ""},
		{spec.OnTest, "RBPResidual", "a uni(P) 1; a uni(P) 2; b uni(I) 1; b uni(I) 2", ""},
		{spec.OnValidation, "Unjudged@10", "a uni(I) 1; a uni(I) 2; b uni(P) 1; b uni(P) 2", ""},
		{spec.OnTest, "Utility(b=1)", "", "has no direction"}, // an old plan, which would be refused now
	} {
		plan, exp := raced(t, spec.Select{On: c.on, Per: []string{"backbone"}}, racedTest, racedValidation)
		if c.on == spec.OnTest {
			plan.Select.Measure = c.measure
		}
		for i := range exp.Trials {
			for _, list := range [][]results.Result{exp.Trials[i].Results, exp.Trials[i].Validation} {
				for j := range list {
					list[j].Measure = c.measure
				}
			}
		}
		MarkSelected(plan, exp)
		var got []string
		for _, trial := range exp.Trials {
			if trial.Selection.On != "" {
				got = append(got, trial.ID)
			}
		}
		if strings.Join(got, "; ") != c.want || !strings.Contains(strings.Join(exp.Notes, ""), c.note) {
			t.Errorf("%s on %s picked %v, want %s; notes %v", c.measure, c.on, got, c.want, exp.Notes)
		}
	}
}

// A configuration with a run that was stopped as hopeless is not selected, however good its
// other runs are. It still counts among the compared configurations.
func TestMarkSelectedLeavesStoppedOut(t *testing.T) {
	how := spec.Select{On: spec.OnTest, Measure: "AP", Per: []string{"backbone"}}
	plan, exp := raced(t, how, racedTest, racedValidation)
	exp.Trials[3].State = results.Stopped // a uni(I) 2, which would win
	for _, i := range []int{4, 7} {       // one of each loss of b
		exp.Trials[i].State = results.Stopped
	}
	MarkSelected(plan, exp)
	var got []string
	for _, trial := range exp.Trials {
		if trial.Selection.On != "" {
			got = append(got, fmt.Sprintf("%s of %d", trial.ID, trial.Selection.Among))
		}
	}
	if want := "a uni(P) 1 of 2; a uni(P) 2 of 2"; strings.Join(got, "; ") != want {
		t.Errorf("picked %v, want %s", got, want)
	}
	if len(exp.Notes) != 1 || !strings.Contains(exp.Notes[0], "backbone=b world=1: a trial of each of its configurations was stopped") {
		t.Errorf("notes %v", exp.Notes)
	}
}

// Nothing is selected before all trials of a group are finished, and a note gives the reason.
// Trials that were stopped as hopeless do not delay the selection.
func TestMarkSelectedWaits(t *testing.T) {
	plan, exp := raced(t, spec.Select{On: spec.OnValidation, Per: []string{"backbone"}}, racedTest, racedValidation)
	exp.Trials[0].State = results.Waiting
	exp.Trials[5].State = results.Stopped
	exp.Trials[6].Validation[0].Value = nil
	MarkSelected(plan, exp)
	for _, trial := range exp.Trials {
		if trial.Selection.On != "" {
			t.Errorf("%s was picked", trial.ID)
		}
	}
	want := []string{"backbone=a world=1: 1 of its trials are not finished", "backbone=b world=1: trial b uni(I) 1: "}
	for i, words := range want {
		if len(exp.Notes) != 2 || !strings.Contains(exp.Notes[i], words) {
			t.Errorf("notes %v, want %q", exp.Notes, words)
		}
	}
}

// A collection that training may have forgotten does not count for selection.
func TestMarkSelectedOnNothingForgotten(t *testing.T) {
	plan, exp := raced(t, spec.Select{On: spec.OnTest, Measure: "AP", Per: []string{"backbone"}}, racedTest, racedValidation)
	plan.Forgetting = spec.Forgetting{Collections: []string{"./else/where"}, Measure: "AP", Margin: .02}
	for i := range exp.Trials {
		against := 10 * (1 - *exp.Trials[i].Results[0].Value) // would turn the choice over
		exp.Trials[i].Results = append(exp.Trials[i].Results, results.Result{Benchmark: "where", Task: "test", Query: "q", Measure: "AP", Value: &against})
	}
	MarkSelected(plan, exp)
	for _, trial := range exp.Trials {
		if want := strings.Contains("a uni(I) 1; a uni(I) 2; b uni(P) 1; b uni(P) 2", trial.ID); want != (trial.Selection.On == spec.OnTest) {
			t.Errorf("%s: selected on %q", trial.ID, trial.Selection.On)
		}
	}
}
