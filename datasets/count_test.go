package datasets

import (
	"encoding/json"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// TestCount counts a task by hand, by mteb's definitions.
func TestCount(t *testing.T) {
	task := Task{
		Corpus: MemoryCorpus{{ID: "a", Title: "Tî", Text: " x\x1f "}, {ID: "b", Text: "  y "}, {ID: "c", Text: "y"}},
		Queries: []Query{
			{ID: "1", Text: "q", Instruction: "one"}, {ID: "2", Text: "qq", Instruction: "two"}},
		Qrels:    map[string]map[string]int{"1": {"a": 1, "b": 0, "z": -1}, "2": {"a": 2}},
		Excluded: map[string][]string{"1": {"a", "a", "nowhere"}},
	}
	got, err := StatisticsOf(&task)
	if err != nil {
		t.Fatal(err)
	}
	// "Tî  x" after joining and trimming, "y", "y"; "q one", "qq two".
	if *got.Documents != (TextStatistics{Total: 7, Min: 1, Average: 7. / 3, Max: 5, Unique: 2}) || *got.Queries != (TextStatistics{Total: 11, Min: 5, Average: 5.5, Max: 6, Unique: 2}) {
		t.Errorf("documents %+v, queries %+v", *got.Documents, *got.Queries)
	}
	if *got.RelevantDocs != (RelevantStatistics{Num: 3, Min: 1, Average: 1.5, Max: 2, Unique: 3}) {
		t.Errorf("judgments %+v", *got.RelevantDocs)
	}
	if *got.TopRanked != (TopRankedStatistics{Num: 5, Min: 2, Average: 2.5, Max: 3}) {
		t.Errorf("top ranked %+v", *got.TopRanked)
	}
	if got.NumSamples != 5 || got.NumberOfCharacters != 18 || got.NumDocuments != 3 || got.NumQueries != 2 {
		t.Errorf("%+v", got)
	}
	task.Candidates = map[string][]string{"1": {"a"}, "2": {"a", "b", "c"}}
	if got, err = StatisticsOf(&task); err != nil || *got.TopRanked != (TopRankedStatistics{Num: 4, Min: 1, Average: 2, Max: 3}) {
		t.Errorf("candidates %+v, %v", got.TopRanked, err)
	}
	for i := range task.Queries {
		task.Queries[i].Instruction = "a prompt"
	}
	if got, err = StatisticsOf(&task); err != nil || got.Queries.Total != 3 {
		t.Errorf("a shared instruction was counted: %+v, %v", got.Queries, err)
	}
}

// TestCountSciFact compares the counts of the real SciFact with mteb's
// (mteb/descriptive_stats/Retrieval/SciFact.json at a905523), field by field. The collection here
// was rebuilt from sentences joined by single spaces and has 871 spaces fewer in its 7.8 million
// characters; they are added before comparing.
func TestCountSciFact(t *testing.T) {
	const published = `{"num_samples": 5483, "number_of_characters": 7798555,
"documents_text_statistics": {"total_text_length": 7771451, "min_text_length": 221, "average_text_length": 1499.41173065792, "max_text_length": 10127, "unique_texts": 5183},
"queries_text_statistics": {"total_text_length": 27104, "min_text_length": 28, "average_text_length": 90.34666666666666, "max_text_length": 204, "unique_texts": 300},
"relevant_docs_statistics": {"num_relevant_docs": 339, "min_relevant_docs_per_query": 1, "average_relevant_docs_per_query": 1.13, "max_relevant_docs_per_query": 5, "unique_relevant_docs": 283},
"top_ranked_statistics": null, "num_documents": 5183, "num_queries": 300}`
	dir := testkit.SharedPath(t, "data", "scifact", "beir")
	b, err := OpenBEIR(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := StatisticsOf(&b.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	const blanks = 871
	got.NumberOfCharacters += blanks
	got.Documents.Total += blanks
	got.Documents.Average = float64(got.Documents.Total) / float64(got.NumDocuments)
	var want Statistics
	if err := json.Unmarshal([]byte(published), &want); err != nil {
		t.Fatal(err)
	}
	show := func(s *Statistics) string {
		var text strings.Builder
		if err := s.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if show(got) != show(&want) {
		t.Errorf("got %s\nwant %s", show(got), show(&want))
	}
}
