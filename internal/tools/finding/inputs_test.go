package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
)

// A test has the instructions of its kind, their queries and judgments, all judged tables and the
// same 800 others each time.
func TestWriteTest(t *testing.T) {
	set := t.TempDir()
	var corpus strings.Builder
	for i := range others + 100 {
		fmt.Fprintf(&corpus, "{\"_id\": \"t%d\", \"text\": \"table %d\"}\n", i, i)
	}
	for name, text := range map[string]string{
		"corpus.jsonl.gz": corpus.String(),
		"queries.jsonl.gz": `{"_id": "1_0", "text": "a", "metadata": {"origin_query": "one", "instruction": "a", "instruction_type": "2.1"}}
{"_id": "1_1", "text": "b", "metadata": {"origin_query": "one", "instruction": "b", "instruction_type": "1.1"}}
{"_id": "2_0", "text": "c", "metadata": {"origin_query": "two", "instruction": "c", "instruction_type": "1.1"}}
`,
		"only_queries.jsonl.gz":         "{\"_id\": \"1\", \"text\": \"one\"}\n{\"_id\": \"2\", \"text\": \"two\"}\n",
		"qrels/test.tsv":                "query-id\tcorpus-id\tscore\n1_0\tt0\t1\n1_1\tt1\t1\n2_0\tt2\t1\n",
		"qrels/for_only_query_test.tsv": "query-id\tcorpus-id\tscore\n1\tt0\t1\n1\tt1\t1\n2\tt2\t1\n2\tt3\t1\n",
	} {
		path := filepath.Join(set, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			fmt.Fprint(z, text)
			z.Close()
		} else {
			fmt.Fprint(f, text)
		}
		f.Close()
	}
	was := ""
	for _, c := range []struct {
		name    string
		asked   func(query) bool
		queries []string
	}{
		{"all", all, []string{"1", "2", "1_0", "1_1", "2_0"}},
		{"kind 2.1", ofKind("2.1"), []string{"1", "1_0"}},
		{"one topic", firstTopics(1), []string{"1", "1_0", "1_1"}},
		{"all again", all, nil},
	} {
		dir := t.TempDir()
		if err := writeTest(dir, set, c.asked, others); err != nil {
			t.Fatal(err)
		}
		b, err := datasets.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		var queries, documents []string
		for _, q := range b.Tasks[0].Queries {
			queries = append(queries, q.ID)
		}
		for d := range b.Tasks[0].Corpus.Documents() {
			documents = append(documents, d.ID)
		}
		if c.queries != nil && !slices.Equal(queries, c.queries) {
			t.Errorf("%s: queries %q, want %q", c.name, queries, c.queries)
		}
		if len(documents) != others+4 || !slices.Equal(documents[:4], []string{"t0", "t1", "t2", "t3"}) {
			t.Errorf("%s: %d tables, first %q", c.name, len(documents), documents[:4])
		}
		text := strings.Join(documents, " ")
		if was != "" && was != text {
			t.Errorf("%s: other tables", c.name)
		}
		was = text
	}
	dir := t.TempDir()
	if err := writeTest(dir, set, firstTopics(1), 0); err != nil {
		t.Fatal(err)
	}
	b, err := datasets.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var documents []string
	for d := range b.Tasks[0].Corpus.Documents() {
		documents = append(documents, d.ID)
	}
	if !slices.Equal(documents, []string{"t0", "t1"}) {
		t.Errorf("without others: tables %q, want those that the topic judges", documents)
	}
}
