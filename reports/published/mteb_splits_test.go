package published

import "testing"

// The splits of MTEB's tasks, by eval_splits of mteb 2.26.24.
func TestEvaluates(t *testing.T) {
	for _, tt := range []struct {
		task, split string
		want        bool
	}{
		{"Core17InstructionRetrieval", "test", true}, {"Core17InstructionRetrieval", "dev", false}, {"Core17InstructionRetrieval", "train", false},
		{"Core17InstructionRetrieval", "", true}, {"NQ", "validation", false}, {"NQ", "dev2", false}, {"NQ", "Dev", false}, {"NQ", "val", false},
		{"MSMARCO", "dev", true}, {"MSMARCO", "test", false}, {"MSMARCO", "train", false},
		{"NanoNQRetrieval", "train", true}, {"TopiOCQA", "validation", true}, {"TopiOCQA", "train", false},
		{"BrightRetrieval", "standard", true}, {"BrightRetrieval", "long", false}, {"BrightBiologyLongRetrieval", "long", true},
		{"LEMBNeedleRetrieval", "test_256", true}, {"WebLINXCandidatesReranking", "test_iid", true}, {"WebLINXCandidatesReranking", "validation", false},
		{"IFEval", "keywords__existence_queries", true}, {"somebody's", "trainers", true}, {"somebody's", "train", false},
	} {
		if got := Evaluates(tt.task, tt.split); got != tt.want {
			t.Errorf("%s on %s: %v", tt.task, tt.split, got)
		}
	}
	all := Cell{Task: "Core17InstructionRetrieval", Split: "dev"}
	if (Name{Task: all.Task}).Covers(&all) || !(Name{Task: all.Task, Split: "dev"}).Covers(&all) {
		t.Error("a number of a dev split counts as one of the task")
	}
}
