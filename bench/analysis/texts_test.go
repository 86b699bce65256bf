package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/datasets"
)

// TestRead: a field of a corpus has the texts of all its columns, and documents that tasks
// share are read once.
func TestRead(t *testing.T) {
	count := func(name, field string) int {
		t.Helper()
		set, err := readTexts(name, textOptions{Field: field, World: 1})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(set.Texts, "") {
			t.Errorf("%s, field %s: an empty text", name, field)
		}
		return len(set.Texts)
	}
	records, _ := datasets.MiniTriplets("mini-infir", 1)
	for field, times := range map[string]int{
		"": 2, "instruction": 2, "query": 2, "passage": 3, "instruction_positive": 1, "instruction_negative": 1,
		"query_positive": 1, "query_negative": 1, "document_positive": 1, "hard_negative_document_1": 1, "hard_negative_document_2": 1,
	} {
		if got := count("mini-infir", field); got != times*len(records) {
			t.Errorf("field %q: %d texts of %d records, want %d of each", field, got, len(records), times)
		}
	}
	b, err := datasets.Load("mini-followir", datasets.Options{World: 1})
	if err != nil {
		t.Fatal(err)
	}
	queries := 0
	for _, task := range b.Tasks {
		queries += len(task.Queries)
	}
	if got := count("mini-followir", "query"); got != queries {
		t.Errorf("%d queries, want %d", got, queries)
	}
}

// TestReadOwnRecords: a file of records has the fields of records, and a column has precedence
// over a field with the same name. The usual fields are the same as for a corpus.
func TestReadOwnRecords(t *testing.T) {
	write := func(name, content string) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pairs := write("pairs.jsonl", `{"query":"q","positive":"p","instruction":"i","negatives":["n","m"]}`+"\n")
	for field, want := range map[string][]string{"query": {"q"}, "passage": {"p"}, "instruction": {"i"}, "negatives": {"n", "m"}, "positive": {"p"}} {
		set, err := readTexts(pairs, textOptions{Field: field, World: 1})
		if err != nil || !slices.Equal(set.Texts, want) {
			t.Errorf("field %s: %v, %v; want %v", field, set, err, want)
		}
	}
	if got := usualFields(pairs); !slices.Equal(got, usualFields("mini-infir")) {
		t.Errorf("usual fields of records %v", got)
	}
	if got := usualFields(write("texts.jsonl", `{"text":"a"}`)); !slices.Equal(got, []string{""}) {
		t.Errorf("usual fields of texts %q", got)
	}
}

// TestSum: sums depend on the boundaries between texts.
func TestSum(t *testing.T) {
	if sumOfTexts([]string{"ab", "c"}) == sumOfTexts([]string{"a", "bc"}) {
		t.Error("other texts have one sum")
	}
}
