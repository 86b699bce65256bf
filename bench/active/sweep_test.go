package active

import (
	"errors"
	"strings"
	"testing"

	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// TestLogOfOtherTrials: a log that names trials which the plan does not have is refused with
// the line. No later hash protects the last line.
func TestLogOfOtherTrials(t *testing.T) {
	plan := &spec.Plan{Trials: []spec.Trial{{ID: "a"}, {ID: "b"}}}
	const text = `claims: [{id: c, says: s, where: w, test: better, measure: AP, on: x, system: {loss: uni(P)}, against: {loss: uni(I)}, command: none}]`
	settings := results.ActiveSettings{Claims: "c.yaml", Text: text, Plan: planHash(plan), Budget: 2, Start: 2}
	for want, c := range map[string]struct {
		start  int
		rounds []string // trials of each round
	}{
		"active.jsonl:1: a first round of 3 cells, but 2 cells are planned": {start: 3},
		"active.jsonl:1: a first round of 0 cells":                          {},
		"active.jsonl:3: round 2 chose trial z, which is not planned":       {start: 2, rounds: []string{"a", "z"}},
		"": {start: 2, rounds: []string{"a", "b"}},
	} {
		folder := runs.At(t.TempDir())
		settings.Start = c.start
		log, err := folder.Rounds().Begin(settings)
		for i, id := range c.rounds {
			err = errors.Join(err, folder.Rounds().Add(log, results.ActiveRound{Round: i + 1, Cells: []results.ActiveCell{{ID: id}}}))
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(folder, plan, results.ActiveSettings{}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
