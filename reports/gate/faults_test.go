package gate

import (
	"strings"
	"testing"

	"infbench/runners/results"
)

// text returns the output of a gate.
func text(t *testing.T, g *Gate) string {
	t.Helper()
	var b strings.Builder
	if err := WriteGate(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestReseedingIsNoDrop: with one seed a commit, runs of another seed differ on all queries
// together, which looks real by the queries alone (p = .0016 and less). The gate does not call it
// real: it fails as undecided for other seeds, or is compared with the variation of the last five
// commits.
func TestReseedingIsNoDrop(t *testing.T) {
	p := population{systems: 1, tasks: 1, queries: 40, seeds: 1, seed: .03, query: .08}.drawn(3)
	var before, after []*results.Experiment
	var g *Gate
	for g == nil || g.Checks[0].tested == nil || g.Checks[0].tested.AtHand > .0016 || g.Checks[0].tested.Difference > 0 {
		before, after = p.commit(), p.commit()
		g = judgeCommits(t, Known{}, before, after)
	}
	if out := text(t, g); !strings.Contains(out, "undecided for other seeds") || strings.Contains(out, "large and real") {
		t.Errorf("%s", out)
	}
	history := historyOf(p.commit(), p.commit(), p.commit(), p.commit(), before)
	if g := judgeCommits(t, Known{History: history}, before, after); g.Verdict() != "gate met" || !strings.Contains(text(t, g), "not significant") {
		t.Errorf("with a history:\n%s", text(t, g))
	}
	if g := judgeCommits(t, Known{History: history[1:]}, before, after); !strings.Contains(text(t, g), "undecided for other seeds") {
		t.Errorf("with four commits:\n%s", text(t, g))
	}
}

// TestMeanDropFails: the mean over six tasks falls from 50.3 to 38.1, and no task alone shows it.
func TestMeanDropFails(t *testing.T) {
	for _, of := range []population{
		{systems: 1, tasks: 6, queries: 40, seeds: 3, seed: .01, task: .01, query: .145, change: .4},
		{systems: 3, tasks: 6, queries: 40, seeds: 3, seed: .02, task: .01, query: .145, change: .4},
	} {
		p := of.drawn(1)
		before, after := p.commit(), p.commit(.122)
		g := judgeCommits(t, Known{}, before, after)
		failed := g.Failed()
		if len(failed) != 1 || !failed[0].Board || !strings.Contains(failed[0].Reason, "large and real") {
			t.Errorf("%s", text(t, g))
		}
	}
}
