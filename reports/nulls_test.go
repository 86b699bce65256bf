package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/runners/results"
)

// TestOverlapWarning checks that test texts in the training data are the first warning,
// and only if a trial was trained on that data.
func TestOverlapWarning(t *testing.T) {
	o := Options{}
	o.Overlaps = []results.Overlap{{Train: "mini-infir", Test: "mini-followir", Group: "queries", Words: 13, Texts: 80, Exact: 3, Partial: 5},
		{Train: "other", Test: "mini-followir", Group: "queries", Words: 13, Texts: 80, Exact: 9}}
	r := build(t, o, reportstest.Small())
	if len(r.Warnings) != 1 || r.Warnings[0] != "Warning: 3 of 80 texts in mini-followir occur word for word in the training data mini-infir." {
		t.Errorf("warnings %q", r.Warnings)
	}
	if s := r.Section("contamination"); len(s.Tables) != 1 || len(s.Tables[0].Rows) != 1 || s.Notes != nil {
		t.Errorf("contamination %+v", s)
	}
	if r := build(t, Options{}, reportstest.Small()); r.Warnings != nil || !strings.Contains(strings.Join(r.Section("contamination").Notes, ""), "Not checked: mini-followir") {
		t.Errorf("unchecked: %q, %+v", r.Warnings, r.Section("contamination"))
	}
}

// TestOverlapsByWorld checks that counts are summed and shown for the world that a trial
// was trained on, with the groups that share something. A repeated count is shown once,
// and a hint shows how to check the rest.
func TestOverlapsByWorld(t *testing.T) {
	o := Options{}
	of := func(world, group string, partial int) results.Overlap {
		return results.Overlap{Train: "mini-infir", World: world, Test: "mini-followir", Group: group, Words: 13, Texts: 80, Partial: partial}
	}
	o.Overlaps = []results.Overlap{of("1", "queries", 0), of("1", "documents", 2), of("2", "queries", 9), of("", "queries", 7)}
	var got []string
	for _, r := range build(t, o, reportstest.Small()).Section("contamination").Tables[0].Rows {
		got = append(got, r.Entries[1].Text+" "+r.Entries[2].Text+" "+r.Entries[3].Text+" "+r.Entries[5].Text)
	}
	if want := "mini-infir, world 1 all 160 2; mini-infir, world 1 documents 80 2"; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if notes := build(t, Options{}, reportstest.Small()).Section("contamination").Notes; len(notes) != 1 || !strings.HasSuffix(notes[0], "; infbench data overlap mini-infir mini-followir counts it.") {
		t.Errorf("unchecked: %q", notes)
	}
}

// TestSelectedOnTest checks that the highest of several trained systems is marked, and a
// single one is not.
func TestSelectedOnTest(t *testing.T) {
	marks := func(e *results.Experiment) (n int) {
		for _, row := range build(t, Options{}, e).Boards[0].Leaderboard.Rows {
			for _, entry := range row.Entries {
				if strings.HasSuffix(entry.Text, words.TopMark) {
					n++
				}
			}
		}
		return n
	}
	if n := marks(reportstest.Small()); n != 3 {
		t.Errorf("%d marks on three columns", n)
	}
	half := reportstest.Fixture(1)
	reportstest.Fail(half, "uni(P)", "it ran out of memory")
	trained := 0
	for _, trial := range half.Trials {
		if trial.State == results.Done && trial.Config[results.Loss] != "" {
			trained++
		}
	}
	if want, notes := fmt.Sprintf("the highest of %d trained systems", trained), strings.Join(build(t, Options{}, half).Boards[0].Leaderboard.Notes, " "); !strings.Contains(notes, want) {
		t.Errorf("systems without a number were not chosen from: want %s in %s", want, notes)
	}
	alone := reportstest.Small()
	alone.Trials = alone.Trials[2:]
	if n := marks(alone); n != 0 {
		t.Errorf("%d marks with one trained system", n)
	}
}
