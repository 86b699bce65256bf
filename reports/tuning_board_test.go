package reports

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestTuningOnBoard checks that the board names the objectives of its systems, and that
// verdicts have a note on unequal tuning.
func TestTuningOnBoard(t *testing.T) {
	e := reportstest.Fixture(1)
	for i := range e.Trials {
		if c := e.Trials[i].Config; c[results.Loss] != "" {
			c[results.Fidelity] = "recommended"
		}
	}
	equal := build(t, Options{}, e)
	if said := strings.Join(equal.Boards[0].Leaderboard.Notes, "\n"); !strings.Contains(said, "objective recommended: the reference code without its false negatives") {
		t.Errorf("notes %s", said)
	}
	more := e.Trials[0]
	more.ID, more.Config = "more", maps.Clone(more.Config)
	more.Config[results.LearningRate] = "0.01"
	e.Trials = append(e.Trials, more)
	unequal := build(t, Options{}, e)
	const note = "Unequally tuned (not as often): uni(P) train.lr=0.0005 and 1 more of 2 configurations, uni(I) train.lr=0.0005 of 1 configuration (and 9 others alike)."
	for name, notes := range map[string]func(r *Report) []string{
		"leaderboard": func(r *Report) []string { return r.Boards[0].Leaderboard.Notes },
		"ranks":       func(r *Report) []string { return r.Boards[0].ranks.Notes },
		"differences": func(r *Report) []string { return r.Section(r.Boards[0].ID + "-differences").Notes },
		"tuning":      func(r *Report) []string { return r.Section(r.Boards[0].ID + "-tuning").Tables[0].Notes },
		"ablation": func(*Report) []string {
			asked := build(t, Options{Ablation: true}, e)
			tables := asked.Tables()
			return tables[len(tables)-1].Notes
		},
	} {
		says := func(r *Report) bool {
			return slices.ContainsFunc(notes(r), func(n string) bool { return strings.HasPrefix(n, note) })
		}
		if !says(unequal) {
			t.Errorf("%s does not say it: %q", name, notes(unequal))
		}
		if name != "ablation" && slices.ContainsFunc(notes(equal), func(n string) bool { return strings.HasPrefix(n, "Unequally") }) {
			t.Errorf("%s says it of equals", name)
		}
	}
}
