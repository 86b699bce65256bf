package runners

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

func TestRunFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.txt")
	const lines = `q1 Q0 d1 1 3 mine
q1 Q0 d2 2 4 mine
q1 Q0 d3 3 3 mine
q9 Q0 d1 1 1 mine
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRunFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name() != "mine" {
		t.Errorf("name = %q, want the tag", r.Name())
	}
	task := &datasets.Task{Name: "t", Corpus: datasets.MemoryCorpus{{ID: "d1"}, {ID: "d2"}, {ID: "d3"}, {ID: "d4"}},
		Queries: []datasets.Query{{ID: "q1"}, {ID: "q2"}}}
	// q2 is not in the file, so it is missing; q9 is not in the task.
	want := trec.Run{"q1": {{Doc: "d2", Score: 4}, {Doc: "d3", Score: 3}, {Doc: "d1", Score: 3}}}
	if got := retrieve(t, r, task, 10); !reflect.DeepEqual(got, want) {
		t.Errorf("run = %v, want %v", got, want)
	}
	task.Candidates = map[string][]string{"q1": {"d1", "d4"}, "q2": {"d1"}}
	want = trec.Run{"q1": {{Doc: "d1", Score: 3}}}
	if got := retrieve(t, r, task, 10); !reflect.DeepEqual(got, want) {
		t.Errorf("with candidates %v, want %v", got, want)
	}
	task.Queries, task.Candidates = []datasets.Query{{ID: "q2"}, {ID: "q3"}}, nil
	if _, err := r.Retrieve(t.Context(), task, 10); err == nil || err.Error() != `task t: run mine: none of its 2 queries ("q1" is the first) is among the task's 2 ("q2")` {
		t.Errorf("foreign queries: error %v", err)
	}
	task.Queries, task.Corpus = []datasets.Query{{ID: "q1"}}, datasets.MemoryCorpus{{ID: "d1"}}
	if _, err := r.Retrieve(t.Context(), task, 10); err == nil || !strings.Contains(err.Error(), `document "d2" of query "q1" is not in the corpus, and 1 more faults`) {
		t.Errorf("foreign corpus: error %v", err)
	}
	if _, err := OpenRunFile(path + ".absent"); err == nil {
		t.Error("an absent file opens")
	}
}
