package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// TestVerdicts checks the tests of the fixture against its construction. The baselines
// that ignore the query are below the untrained encoder, the last losses are above it, and
// the slice that changes nothing shows no difference.
func TestVerdicts(t *testing.T) {
	r := build(t, Options{}, reportstest.Fixture(1))
	b := r.Boards[0]
	family := b.Families[0]
	if n := family.Tested(); n != 14*3 {
		t.Errorf("%d comparisons in the first family, want 14 systems × 3 numbers", n)
	}
	for _, c := range family.Contrasts {
		switch {
		case c.B.Kind == table.Null && c.Words() != "lower", c.B.Label == "multi(P,I,IQ)" && c.Words() != "higher, this run":
			t.Errorf("%s on %s: %s", c.B.Label, c.On.Measure, c.Words())
		case c.Adjusted < c.P, c.N != 80, c.A.Label != "untrained":
			t.Errorf("%s: p %v, Holm %v, n %d, against %s", c.B.Label, c.P, c.Adjusted, c.N, c.A.Label)
		}
	}
	null := b.Set.Columns("mini-followir").Slices()[3]
	if null.Tasks[0] != "null" {
		t.Fatalf("fourth slice is %v", null)
	}
	for _, c := range b.Slices[0].Family.On(null) {
		if c.Judged() != contrast.Unshown {
			t.Errorf("%s on the null slice: %s (p %v)", c.B.Label, c.Words(), c.P)
		}
	}
}

// TestLead checks that the counts in the sentences agree with the tests.
func TestLead(t *testing.T) {
	e := reportstest.Fixture(1)
	reportstest.Fail(e, "uni(P,I)", "out of memory")
	r := build(t, Options{}, e)
	higher, untested := 0, 0
	f := r.Boards[0].Families[0]
	for _, c := range f.On(f.Columns[0]) {
		if c.B.Kind == table.Trained && c.Shown() && c.Difference > 0 {
			higher++
		}
		if c.Why != "" {
			untested++
		}
	}
	lead := strings.Join(r.Lead, "\n")
	for _, want := range []string{
		"14 of 15 planned trials finished",
		"generated text",
		fmt.Sprintf("p-MRR on mini-followir/headline: %d of 11 trained systems are above the untrained encoder", higher),
		"1 (uni(P,I)) could not be tested",
	} {
		if !strings.Contains(lead, want) {
			t.Errorf("the lead lacks %q:\n%s", want, lead)
		}
	}
	if untested != 1 {
		t.Errorf("%d untested, want 1", untested)
	}
	if c := r.Section("coverage").Tables[0].Rows; len(c) != 1 || c[0].Entries[0].Text != "uni(P,I)" || !strings.Contains(c[0].Entries[4].Text, "out of memory") {
		t.Errorf("coverage = %+v", c)
	}
}

// TestLeadNamesBaselines checks that the lead names a baseline that is above all trained
// systems.
func TestLeadNamesBaselines(t *testing.T) {
	e := reportstest.Fixture(1)
	e.Trials = append(e.Trials[:2], e.Trials[len(reportstest.FixtureLosses):]...)
	if lead := strings.Join(build(t, Options{}, e).Lead, "\n"); strings.Count(lead, "The highest number belongs to bm25") != 5 {
		t.Errorf("bm25 is the highest in all 5 columns; the lead says:\n%s", lead)
	}
	if lead := strings.Join(build(t, Options{}, reportstest.Fixture(1)).Lead, "\n"); strings.Contains(lead, "highest") {
		t.Errorf("trained systems are the highest; the lead says:\n%s", lead)
	}
}

// TestWithoutReference checks that nothing is claimed if nothing is tested.
func TestWithoutReference(t *testing.T) {
	o := Options{}
	o.Reference = "nothing"
	r := build(t, o, reportstest.Fixture(1))
	lead := strings.Join(r.Lead, "\n")
	if len(r.Boards[0].Families) != 0 || !strings.Contains(lead, `No system has the name "nothing"`) || strings.Contains(lead, "above") {
		t.Errorf("lead = %s", lead)
	}
}

// TestSeeds checks that seeds are averaged per query before any test.
func TestSeeds(t *testing.T) {
	r := build(t, Options{}, reportstest.Fixture(3))
	c := r.Boards[0].Families[0].Contrasts[0]
	if c.N != 80 {
		t.Errorf("n = %d with 3 seeds, want the 80 queries", c.N)
	}
	if notes := strings.Join(r.Boards[0].Leaderboard.Notes, " "); !strings.Contains(notes, "mean of 3 training runs") {
		t.Errorf("notes = %s", notes)
	}
	e := reportstest.Fixture(3)
	e.Trials[1] = results.Trial{ID: e.Trials[1].ID, Config: e.Trials[1].Config, State: results.Running}
	board := build(t, Options{}, e).Boards[0].Leaderboard
	cell := board.Rows[slices.Index(labelsOf(board), "uni(P)")].Entries[1]
	if !strings.HasSuffix(cell.Text, words.PartialMark) || !strings.Contains(cell.Remark, "2 of 3 trials") {
		t.Errorf("a row that lacks a seed shows %q, %q", cell.Text, cell.Remark)
	}
}

// The trained systems without a test are counted even if only one was tested.
func TestCountsOfTests(t *testing.T) {
	on := scores.Number{Measure: "nDCG@10"}
	for _, of := range []struct {
		why                      []string // why a system was not tested; "" if it was
		better, tested, untested int
	}{
		{[]string{"", "", "few"}, 2, 2, 1},
		{[]string{"", "few", "few"}, 0, 0, 2},
		{[]string{""}, 0, 0, 0},
	} {
		f := &contrast.Family{}
		for _, why := range of.why {
			f.Contrasts = append(f.Contrasts, &contrast.Contrast{B: &scores.System{Kind: table.Trained}, On: on, Difference: .1, Why: why})
		}
		if b, tested, untested := better(f, on); b != of.better || tested != of.tested || untested != of.untested {
			t.Errorf("%q: %d better of %d, %d not tested", of.why, b, tested, untested)
		}
	}
}
