package reports

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infbench/bench/results"
)

// nullRows makes a random and a constant row on one paired task: p-MRR of the
// constant is 0 but for shift, nDCG of both is alike but for lift.
func nullRows(shift, lift float64) []results.Trial {
	random := rand.New(rand.NewPCG(3, 3))
	var a, b []value
	for q := range 50 {
		id, base := fmt.Sprintf("%02d", q), .3+.1*random.NormFloat64()
		a = append(a, value{"B", "x", "", "p-MRR", id, .2 * random.NormFloat64()}, value{"B", "x", "original", "nDCG@5", id, base})
		b = append(b, value{"B", "x", "", "p-MRR", id, shift}, value{"B", "x", "original", "nDCG@5", id, base + lift + .1*random.NormFloat64()})
	}
	return []results.Trial{trialOf("r", map[string]string{"model": "random"}, a...), trialOf("c", map[string]string{"model": "constant"}, b...)}
}

// TestNullRows checks that sound null rows pass, and that one that follows
// instructions or finds more than chance is named in a warning that every format
// opens with.
func TestNullRows(t *testing.T) {
	for name, c := range map[string]struct {
		shift, lift float64
		want        string
	}{
		"sound":         {0, 0, ""},
		"follows":       {.001, 0, "constant, which does not look at the query, is +0.1 off what it must score in p-MRR"},
		"finds":         {0, .2, "in nDCG@5 original on B/x"},
		"finds nothing": {0, -.2, "in nDCG@5 original on B/x"},
	} {
		r := build(t, quick, &results.Experiment{Name: "e", Trials: nullRows(c.shift, c.lift)})
		warnings := strings.Join(r.Warnings, "\n")
		if (c.want == "") != (warnings == "") || !strings.Contains(warnings, c.want) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, c.want)
		}
		for _, format := range []string{"terminal", "markdown", "html"} {
			if warned := strings.Contains(written(t, r, format), "does not look at the query, is"); warned != (c.want != "") {
				t.Errorf("%s: %s warns: %v", name, format, warned)
			}
		}
	}
}

// TestOverlapWarning checks that texts of a test in the training data are named
// before anything else, and only where a trial learnt from that data.
func TestOverlapWarning(t *testing.T) {
	o := quick
	o.Overlaps = []Overlap{{Train: "mini-infir", Test: "mini-followir", Group: "queries", Words: 13, Texts: 80, Exact: 3, Partial: 5},
		{Train: "other", Test: "mini-followir", Group: "queries", Words: 13, Texts: 80, Exact: 9}}
	r := build(t, o, small())
	if len(r.Warnings) != 1 || r.Warnings[0] != "Warning: 3 of 80 texts in mini-followir stand word for word in the training data mini-infir." {
		t.Errorf("warnings %q", r.Warnings)
	}
	if len(r.Overlap.Rows) != 1 || r.Overlap.Notes != nil {
		t.Errorf("overlap table %+v", r.Overlap)
	}
	if r := build(t, quick, small()); r.Warnings != nil || !strings.Contains(strings.Join(r.Overlap.Notes, ""), "Not checked: mini-followir") {
		t.Errorf("unchecked: %q, %+v", r.Warnings, r.Overlap)
	}
}

// TestSelectedOnTest checks that the highest of several trained systems is
// marked, and the only one is not.
func TestSelectedOnTest(t *testing.T) {
	marks := func(e *results.Experiment) (n int) {
		for _, row := range build(t, quick, e).Boards[0].Leaderboard.Rows {
			for _, entry := range row.Entries {
				if strings.HasSuffix(entry.Text, topMark) {
					n++
				}
			}
		}
		return n
	}
	if n := marks(small()); n != 3 {
		t.Errorf("%d marks on three columns", n)
	}
	alone := small()
	alone.Trials = alone.Trials[2:]
	if n := marks(alone); n != 0 {
		t.Errorf("%d marks with one trained system", n)
	}
}
