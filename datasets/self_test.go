package datasets

import (
	"reflect"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// selfTask has a query with an unrelated document of the same ID, a query whose own document is its
// answer, and one without such a document.
func selfTask() *Task {
	return &Task{
		Name: "self", Corpus: MemoryCorpus{{ID: "1"}, {ID: "2"}, {ID: "d"}}, Queries: []Query{{ID: "1"}, {ID: "2"}, {ID: "3"}},
		Qrels: trec.Qrels{"1": {"d": 1}, "2": {"2": 1}, "3": {"d": 1}}, Excluded: map[string][]string{"3": {"2"}},
	}
}

func TestDropSelf(t *testing.T) {
	task, was := selfTask(), selfTask()
	if err := task.warnSelf(); err != nil || len(task.Warnings) != 1 || !strings.HasPrefix(task.Warnings[0], "1 of 3 queries ") {
		t.Errorf("%v, warnings %q: query 2 finds its answer", err, task.Warnings)
	}
	if err := task.DropSelf(); err != nil || !task.DropsSelf() || len(task.Warnings) != 0 || task.Notes == "" {
		t.Errorf("%v, %+v", err, task)
	}
	if want := (map[string][]string{"1": {"1"}, "2": {"2"}, "3": {"2"}}); !reflect.DeepEqual(task.Excluded, want) {
		t.Errorf("excluded %v, want %v", task.Excluded, want)
	}
	if hashCandidates(task) == hashCandidates(was) {
		t.Error("the content does not tell what is dropped")
	}
	before, err := StatisticsOf(&Task{Corpus: was.Corpus, Queries: was.Queries, Qrels: was.Qrels})
	if err != nil {
		t.Fatal(err)
	}
	bare := selfTask()
	bare.Excluded = nil
	if err := bare.DropSelf(); err != nil {
		t.Fatal(err)
	}
	if after, err := StatisticsOf(bare); err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("%v, statistics %+v, want mteb's %+v", err, after, before)
	}
	task.KeepSelf()
	bare.KeepSelf()
	if !reflect.DeepEqual(task.Excluded, was.Excluded) || bare.Excluded != nil {
		t.Errorf("kept again: %v, %v", task.Excluded, bare.Excluded)
	}
	if none := (&Task{Corpus: MemoryCorpus{{ID: "d"}}, Queries: []Query{{ID: "1"}}}); none.DropSelf() != nil || none.Excluded != nil || none.Notes != "" {
		t.Errorf("nothing to drop: %+v", none)
	}
}

// TestRepositoryDropsSelf: the repositories follow mteb 2.20.0 (ignore_identical_ids of the task)
// and BEIR (its default).
func TestRepositoryDropsSelf(t *testing.T) {
	for repo, want := range map[string]bool{
		"mteb/arguana": true, "mteb/quora": true, "MTEB/FiQA": true, "mteb/fever": true, "mteb/msmarco": true, "if-ir/fiqa": true,
		"mteb/T2Retrieval": true, "clips/beir-nl-arguana": true, "mteb/scifact": true,
		"if-ir/nfcorpus": false, "mteb/BRIGHT": false, "mteb/LegalQuAD": false, "own/arguana": false,
	} {
		if got := RepositoryDropsSelf(repo); got != want {
			t.Errorf("%s: %v, want %v", repo, got, want)
		}
	}
}
