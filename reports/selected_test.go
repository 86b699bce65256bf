package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// pickedExperiment returns an experiment with a pick among three losses, made on the given
// data.
func pickedExperiment(name, on string, losses ...string) *results.Experiment {
	e := reportstest.Fixture(1)
	e.Name = name
	for i := range e.Trials {
		t := &e.Trials[i]
		for _, loss := range losses {
			if t.Config[results.Loss] == loss {
				t.Selection = results.Selection{On: on, Measure: "p-MRR", Among: 11, Per: results.Backbone}
			}
		}
	}
	return e
}

// textsAround returns all texts around the leaderboard of a board.
func textsAround(b *Board) string {
	out := b.Leaderboard.Title + "\n" + strings.Join(b.Leaderboard.Notes, "\n")
	for _, r := range b.Leaderboard.Rows {
		for _, e := range r.Entries {
			out += "\n" + e.Text + " " + e.Under
		}
	}
	return out
}

// TestSelectedOnValidationIsNotOnTest checks that a row selected on held-out queries is
// not marked as selected on the test for being the highest, nor is another row of its
// board.
func TestSelectedOnValidationIsNotOnTest(t *testing.T) {
	for name, losses := range map[string][]string{"the highest": {"multi(P,I,IQ)"}, "another": {"uni(P)"}, "several": {"uni(P)", "multi(P,I,IQ)"}} {
		b := build(t, Options{}, pickedExperiment("x", "validation", losses...)).Boards[0]
		said := textsAround(b)
		if !strings.Contains(said, ", selected on validation") || strings.Contains(strings.ToLower(said), "selected on test") || strings.Contains(said, "†") {
			t.Errorf("%s was selected on validation: %s", name, said)
		}
	}
}

// TestSelectionsApart checks that experiments that select on different data are on
// separate boards, and that systems that none of them trained are on both.
func TestSelectionsApart(t *testing.T) {
	test := pickedExperiment("b", scores.OnTest, "uni(I)")
	for i := range test.Trials {
		if test.Trials[i].Config[results.Loss] != "" {
			test.Trials[i].ID += "b"
			test.Trials[i].Config["train.lr"] = "0.001"
		}
	}
	r := build(t, Options{}, pickedExperiment("a", "validation", "uni(P)"), test)
	if len(r.Boards) != 2 {
		t.Fatalf("%d boards", len(r.Boards))
	}
	for i, want := range []string{"selected on validation", "selected on test"} {
		said := strings.ToLower(textsAround(r.Boards[i]))
		other := []string{"selected on test", "selected on validation"}[i]
		if !strings.Contains(said, want) || strings.Contains(said, other) || !strings.Contains(said, "\nbm25") {
			t.Errorf("board %d, %s: %s", i+1, r.Boards[i].Name(), said)
		}
		if r.Boards[i].Setting == "" || r.Boards[i].ID == r.Boards[1-i].ID {
			t.Errorf("board %d is called %q, %s", i+1, r.Boards[i].Setting, r.Boards[i].ID)
		}
	}
}

// TestSelectedOnTestByAnother checks that a trial of two experiments, picked on the test
// by one of them, is marked for either order of reading.
func TestSelectedOnTestByAnother(t *testing.T) {
	for _, first := range []string{"", "validation"} {
		a, b := pickedExperiment("a", first, "uni(P)"), pickedExperiment("b", scores.OnTest, "uni(P)")
		for _, exps := range [][]*results.Experiment{{a, b}, {b, a}} {
			v, err := scores.New(exps)
			if err != nil {
				t.Fatal(err)
			}
			if label := v.Systems[0].Label; !strings.HasSuffix(label, ", selected on test") {
				t.Errorf("%s first: %s", fmt.Sprint(exps[0].Name, first), label)
			}
		}
	}
}
