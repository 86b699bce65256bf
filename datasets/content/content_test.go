package content

import (
	"slices"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// whole is a small task with every part.
func whole() datasets.Task {
	return datasets.Task{
		Name:       "t",
		Corpus:     datasets.MemoryCorpus{{ID: "d1", Title: "a", Text: "b"}, {ID: "d2", Text: "c"}},
		Queries:    []datasets.Query{{ID: "q1", Text: "x", Instruction: "y"}, {ID: "q2", Text: "z"}},
		Qrels:      trec.Qrels{"q1": {"d1": 1, "d2": 0}, "q2": {"d2": 2}},
		Candidates: map[string][]string{"q1": {"d1", "d2"}, "q2": {"d2"}},
		Pairs:      []datasets.Pair{{ID: "q", Original: "q1", Changed: "q2", Moved: []string{"d1"}}},
	}
}

func contentOf(t *testing.T, task datasets.Task) Hashes {
	t.Helper()
	all, err := Of(&datasets.Benchmark{Name: "b", Tasks: []datasets.Task{task}})
	if err != nil {
		t.Fatal(err)
	}
	return all["t"]
}

// Every change of the data changes the hash of its part and of no other.
func TestContent(t *testing.T) {
	want := contentOf(t, whole())
	if again := contentOf(t, whole()); again != want {
		t.Errorf("%+v, then %+v", want, again)
	}
	for _, c := range []struct {
		name   string
		part   func(*Hashes) *string
		change func(*datasets.Task)
	}{
		{"a text", ofDocuments, func(t *datasets.Task) { t.Corpus.(datasets.MemoryCorpus)[0].Text = "B" }},
		{"a border between texts", ofDocuments, func(t *datasets.Task) {
			t.Corpus.(datasets.MemoryCorpus)[0].Title, t.Corpus.(datasets.MemoryCorpus)[0].Text = "ab", ""
		}},
		{"the order of documents", ofDocuments, func(t *datasets.Task) { slices.Reverse(t.Corpus.(datasets.MemoryCorpus)) }},
		{"a document less", ofDocuments, func(t *datasets.Task) { t.Corpus = t.Corpus.(datasets.MemoryCorpus)[:1] }},
		{"an instruction", ofQueries, func(t *datasets.Task) { t.Queries[1].Instruction = "y" }},
		{"a grade", ofJudgments, func(t *datasets.Task) { t.Qrels["q1"]["d2"] = 1 }},
		{"a judgment less", ofJudgments, func(t *datasets.Task) { delete(t.Qrels["q1"], "d2") }},
		{"a moved document", ofJudgments, func(t *datasets.Task) { t.Pairs[0].Moved = nil }},
		{"a candidate", ofCandidates, func(t *datasets.Task) { t.Candidates["q2"] = []string{"d1"} }},
		{"an excluded document", ofCandidates, func(t *datasets.Task) { t.Excluded = map[string][]string{"q2": {"d1"}} }},
		{"no candidates", ofCandidates, func(t *datasets.Task) { t.Candidates = nil }},
	} {
		task := whole()
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

func ofDocuments(c *Hashes) *string  { return &c.Documents }
func ofQueries(c *Hashes) *string    { return &c.Queries }
func ofJudgments(c *Hashes) *string  { return &c.Judgments }
func ofCandidates(c *Hashes) *string { return &c.Candidates }
