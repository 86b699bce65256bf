package datasets

import (
	"testing"

	"infbench/metrics/trec"
)

// TestJudged: a task of judgments has exactly the judged queries, in order.
func TestJudged(t *testing.T) {
	task := Judged("default", trec.Qrels{"b": {"d": 1}, "a": {}})
	if len(task.Queries) != 2 || task.Queries[0].ID != "a" || task.Queries[1].ID != "b" || task.Corpus != nil || len(task.Scorings) == 0 {
		t.Errorf("%+v", task)
	}
	for name, want := range map[string]bool{"DD_2015": true, "IFEval": true, "Core17InstructionRetrieval": false, "": false} {
		if HasMAIRTask(name) != want {
			t.Errorf("%q is a task of MAIR: %v", name, !want)
		}
	}
}
