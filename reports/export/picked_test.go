package export

import (
	"bytes"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// TestPickedOnTest: in every format, exactly the rows that depend on a pick on the test data have a
// mark. A pick on held-out queries has another mark.
func TestPickedOnTest(t *testing.T) {
	exp := reportstest.Fixture(1)
	var picked *results.Trial
	for i := range exp.Trials {
		if exp.Trials[i].Config[results.Loss] == "multi(P,I)" && exp.Trials[i].State == results.Done {
			picked = &exp.Trials[i]
			break
		}
	}
	if picked == nil {
		t.Fatal("the fixture has no finished multi(P,I)")
	}
	id := picked.ID
	picked.Selection = results.Selection{On: scores.OnTest, Measure: "p-MRR", Among: 11}
	for name, p := range map[string]*scores.Projection{
		"leaderboard": nil,
		"by loss":     {Row: []string{results.Loss}, Col: []string{scores.KeyMeasure, scores.KeySide, scores.KeyBenchmark, scores.KeyTask}},
		"by trial":    {Row: []string{scores.KeyTrial}, Col: []string{scores.KeyMeasure, scores.KeySide, scores.KeyBenchmark, scores.KeyTask}, Filters: []scores.Filter{{Key: scores.KeySelected, Values: []string{scores.OnTest}}}},
	} {
		r, err := reports.Build([]*results.Experiment{exp}, reports.Options{Projection: p})
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			var out bytes.Buffer
			if err := Write(&out, r, format); err != nil {
				t.Fatal(err)
			}
			row := "multi(P,I), selected on test"
			if name == "by trial" {
				row = id + ", selected on test"
			}
			if !strings.Contains(out.String(), row) {
				t.Errorf("%s as %s lacks %q", name, format, row)
			}
			if strings.Contains(out.String(), "uni(P), selected") {
				t.Errorf("%s as %s marks a row that was not picked", name, format)
			}
		}
	}
}
