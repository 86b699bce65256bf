package datasets

import (
	"slices"
	"testing"

	"infbench/metrics/trec"
)

// fullTask returns a small task with every part.
func fullTask() Task {
	return Task{
		Name:       "t",
		Corpus:     MemoryCorpus{{ID: "d1", Title: "a", Text: "b"}, {ID: "d2", Text: "c"}},
		Queries:    []Query{{ID: "q1", Text: "x", Instruction: "y"}, {ID: "q2", Text: "z"}},
		Qrels:      trec.Qrels{"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}},
		Candidates: map[string][]string{"q1": {"d1", "d2"}, "q2": {"d2"}},
		Pairs:      []Pair{{ID: "q", Original: "q1", Changed: "q2", Moved: []string{"d1"}}},
	}
}

func contentOf(t *testing.T, task Task) ContentHashes {
	t.Helper()
	all, err := HashContents(&Benchmark{Name: "b", Tasks: []Task{task}})
	if err != nil {
		t.Fatal(err)
	}
	return all["t"]
}

// TestContent: every change of the data changes the hash of its part and no other.
func TestContent(t *testing.T) {
	want := contentOf(t, fullTask())
	if again := contentOf(t, fullTask()); again != want {
		t.Errorf("%+v, then %+v", want, again)
	}
	for _, c := range []struct {
		name   string
		part   func(*ContentHashes) *string
		change func(*Task)
	}{
		{"a text", ofDocuments, func(t *Task) { t.Corpus.(MemoryCorpus)[0].Text = "B" }},
		{"a border between texts", ofDocuments, func(t *Task) {
			t.Corpus.(MemoryCorpus)[0].Title, t.Corpus.(MemoryCorpus)[0].Text = "ab", ""
		}},
		{"the order of documents", ofDocuments, func(t *Task) { slices.Reverse(t.Corpus.(MemoryCorpus)) }},
		{"a document less", ofDocuments, func(t *Task) { t.Corpus = t.Corpus.(MemoryCorpus)[:1] }},
		{"an instruction", ofQueries, func(t *Task) { t.Queries[1].Instruction = "y" }},
		{"a grade", ofJudgments, func(t *Task) { t.Qrels["q1"]["d2"] = 1 }},
		{"a judgment less", ofJudgments, func(t *Task) { delete(t.Qrels["q1"], "d2") }},
		{"a moved document", ofJudgments, func(t *Task) { t.Pairs[0].Moved = nil }},
		{"a candidate", ofCandidates, func(t *Task) { t.Candidates["q2"] = []string{"d1"} }},
		{"an excluded document", ofCandidates, func(t *Task) { t.Excluded = map[string][]string{"q2": {"d1"}} }},
		{"no candidates", ofCandidates, func(t *Task) { t.Candidates = nil }},
	} {
		task := fullTask()
		c.change(&task)
		got := contentOf(t, task)
		if *c.part(&got) == *c.part(&want) {
			t.Errorf("%s: the hash stays", c.name)
		}
		if *c.part(&got) = *c.part(&want); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func ofDocuments(c *ContentHashes) *string  { return &c.Documents }
func ofQueries(c *ContentHashes) *string    { return &c.Queries }
func ofJudgments(c *ContentHashes) *string  { return &c.Judgments }
func ofCandidates(c *ContentHashes) *string { return &c.Candidates }
