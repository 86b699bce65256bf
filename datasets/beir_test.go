package datasets

import (
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// writeFiles writes files (path below a new folder -> content) and returns the folder; a file
// ending in .gz is compressed.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if strings.HasSuffix(name, ".gz") {
			w := gzip.NewWriter(&b)
			w.Write([]byte(content))
			w.Close()
		} else {
			b.WriteString(content)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tinyBEIR is a collection of three documents and three queries, one of them unjudged.
func tinyBEIR() map[string]string {
	return map[string]string{
		"corpus.jsonl": `{"_id": "d1", "title": "One", "text": "first"}
{"_id": "d2", "title": "", "text": "second", "metadata": {"x": [1, "}"]}}
{"_id": 3, "text": "third \"quoted\" \u00e9"}
`,
		"queries.jsonl": `{"_id": "q1", "text": "what"}
{"_id": "q2", "text": "unjudged"}
{"_id": "q3", "text": "which"}`,
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq3\t3\t1\n",
	}
}

func readAll(t *testing.T, c Corpus) []Document {
	t.Helper()
	var docs []Document
	for d, err := range c.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

func TestOpenBEIR(t *testing.T) {
	for _, ending := range []string{"", ".gz"} {
		files := map[string]string{}
		for name, content := range tinyBEIR() {
			files[name+ending] = content
		}
		b, err := OpenBEIR(writeFiles(t, files))
		if err != nil {
			t.Fatal(err)
		}
		task := b.Tasks[0]
		docs := readAll(t, task.Corpus)
		if len(docs) != 3 || task.Corpus.Len() != 3 ||
			docs[0] != (Document{ID: "d1", Title: "One", Text: "first"}) || docs[2] != (Document{ID: "3", Text: `third "quoted" é`}) {
			t.Errorf("documents: %+v", docs)
		}
		if len(task.Queries) != 2 || task.Queries[0] != (Query{ID: "q1", Text: "what"}) || task.Queries[1].ID != "q3" {
			t.Errorf("queries: %+v", task.Queries)
		}
		if len(task.Qrels) != 2 || task.Qrels["q1"]["d1"] != 2 || len(task.Qrels["q1"]) != 2 || task.Qrels["q3"]["3"] != 1 {
			t.Errorf("qrels: %v", task.Qrels)
		}
		if len(task.Warnings) != 0 || !strings.Contains(task.Notes, "1 of 3 queries have no judgments") {
			t.Errorf("warnings %q, notes %q", task.Warnings, task.Notes)
		}
	}
}

func TestOpenBEIRFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(files map[string]string)
		want   string
	}{
		{"no corpus", func(f map[string]string) { delete(f, "corpus.jsonl") }, "corpus.jsonl"},
		{"no qrels", func(f map[string]string) { delete(f, "qrels/test.tsv") }, "qrels/test.tsv (also tried .gz, .zst): file does not exist"},
		{"empty qrels", func(f map[string]string) { f["qrels/test.tsv"] = "query-id\tcorpus-id\tscore\n" }, "no judgments"},
		{"no bytes", func(f map[string]string) { f["qrels/test.tsv"] = "" }, "no judgments in this file"},
		{"malformed", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d4", "text"` + "\n" }, "corpus.jsonl:4: malformed JSON"},
		{"no text", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d4"}` }, `corpus.jsonl:4: column "text|content|doc|document_content" is missing`},
		{"wrong type", func(f map[string]string) { f["queries.jsonl"] += "\n" + `{"_id": "q4", "text": 5}` }, `queries.jsonl:4: column "text": found number, want string`},
		{"grade", func(f map[string]string) { f["qrels/test.tsv"] += "q3\td2\thigh\n" }, `test.tsv:5: column "score|relevance|label": found "high", want integer`},
		{"fields", func(f map[string]string) { f["qrels/test.tsv"] += "q3\td2\n" }, "test.tsv:5: found 2 fields, want 3"},
		{"half a header", func(f map[string]string) { f["qrels/test.tsv"] = "query-id\tdocument\tscore\nq1\td1\t1\n" }, `test.tsv:1: no column "corpus-id|`},
		{"two documents", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d1", "text": "other"}` }, `corpus.jsonl:4: document "d1" differs`},
		{"two queries", func(f map[string]string) { f["queries.jsonl"] += "\n" + `{"_id": "q1", "text": "other"}` }, `queries.jsonl:4: query "q1" differs`},
		{"two grades", func(f map[string]string) { f["qrels/test.tsv"] += "q1\td1\t1\n" }, "test.tsv:5: query \"q1\", document \"d1\": graded 1 after 2"},
		{"empty ID", func(f map[string]string) { f["qrels/test.tsv"] += "q1\t\t1\n" }, "test.tsv:5: document ID is empty"},
		{"blank in a document ID", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d 9", "text": "x"}` + "\n" }, `corpus.jsonl:4: document ID "d 9" has white space`},
		{"tab in a document ID", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d\t9", "text": "x"}` + "\n" }, `corpus.jsonl:4: document ID "d\t9" has white space`},
		{"newline in a document ID", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "d9\n", "text": "x"}` + "\n" }, `corpus.jsonl:4: document ID "d9\n" has white space`},
		{"empty document ID", func(f map[string]string) { f["corpus.jsonl"] += `{"_id": "", "text": "x"}` + "\n" }, `corpus.jsonl:4: document ID is empty`},
		{"blank in a query ID", func(f map[string]string) { f["queries.jsonl"] += "\n" + `{"_id": " q9", "text": "x"}` + "\n" }, `queries.jsonl:4: query ID " q9" has white space`},
		{"query ID of a comment", func(f map[string]string) { f["queries.jsonl"] += "\n" + `{"_id": "#9", "text": "x"}` + "\n" }, `queries.jsonl:4: query ID "#9" begins with #`},
		{"blank in a judged ID", func(f map[string]string) { f["qrels/test.tsv"] += "q1\td 9\t1\n" }, `test.tsv:5: document ID "d 9" has white space`},
		{"nothing judged", func(f map[string]string) { f["qrels/test.tsv"] = "query-id\tcorpus-id\tscore\nq9\td1\t1\n" }, "none of 3 queries"},
	} {
		files := tinyBEIR()
		tt.change(files)
		_, err := OpenBEIR(writeFiles(t, files))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := OpenBEIR(filepath.Join(t.TempDir(), "absent")); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

// TestOpenBEIRSplits: judgments of a single split are those of a task with the same name. With
// several splits and no test the choice is ambiguous.
func TestOpenBEIRSplits(t *testing.T) {
	for _, c := range []struct {
		qrels []string // in addition to qrels/
		task  string
		err   string
	}{
		{[]string{"test.tsv"}, "test", ""},
		{[]string{"test.tsv", "dev.tsv", "train.tsv"}, "test", ""},
		{[]string{"dev.tsv"}, "dev", ""},
		{[]string{"dev.tsv.gz"}, "dev", ""},
		{[]string{"dev.tsv", "dev.tsv.gz", "README.md"}, "dev", ""},
		{[]string{"dev.tsv", "train.tsv"}, "", "qrels has judgments of dev, train but not of test: copy the split to be tested"},
	} {
		files := tinyBEIR()
		judgments := files["qrels/test.tsv"]
		delete(files, "qrels/test.tsv")
		for _, name := range c.qrels {
			files["qrels/"+name] = judgments
		}
		dir := writeFiles(t, files)
		for _, open := range []func(string) (*Benchmark, error){OpenBEIR, OpenFolder} {
			b, err := open(dir)
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "mteb") {
					t.Errorf("%q: %v, want %q", c.qrels, err, c.err)
				}
			case err != nil || len(b.Tasks) != 1 || b.Tasks[0].Name != c.task || b.Source != "files in BEIR layout":
				t.Errorf("%q: %+v, %v, want task %s", c.qrels, b, err, c.task)
			}
		}
	}
}

func TestOpenBEIRWarnings(t *testing.T) {
	files := tinyBEIR()
	files["corpus.jsonl"] += `{"_id": "d1", "title": "One", "text": "first"}`
	files["queries.jsonl"] += "\n" + `{"_id": "q1", "text": "what"}`
	files["qrels/test.tsv"] += "q1\td9\t1\nq3\t3\t1\nq8\td1\t1\n"
	b, err := OpenBEIR(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	task := b.Tasks[0]
	all := strings.Join(task.Warnings, "\n")
	for _, want := range []string{"1 documents are given twice", "1 queries are given twice",
		"1 of 6 judgments repeat", `1 of 6 judgments are of documents the corpus lacks`, "test.tsv:5",
		"1 judged queries have no text"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in %q", want, all)
		}
	}
	if n := len(readAll(t, task.Corpus)); n != 3 || task.Corpus.Len() != 3 {
		t.Errorf("streamed %d, Len %d, want 3", n, task.Corpus.Len())
	}
	if task.Qrels["q1"]["d9"] != 1 || len(task.Qrels) != 2 {
		t.Errorf("qrels %v: the unknown document's judgment must stay, the unknown query's go", task.Qrels)
	}
}

// TestOpenBEIRReal counts the three real collections (see their SOURCE.md).
func TestOpenBEIRReal(t *testing.T) {
	for _, tt := range []struct {
		dir                      string
		documents, queries, rels int
	}{
		{"data/scifact/beir", 5183, 300, 339},
		{"data/vaswani/beir", 11429, 93, 2083},
		{"data/instructir/msmarco-filtered", 1743, 1743, 1743},
	} {
		b, err := OpenBEIR(testkit.SharedPath(t, tt.dir))
		if err != nil {
			t.Fatal(err)
		}
		task := b.Tasks[0]
		rels := 0
		for _, of := range task.Qrels {
			rels += len(of)
		}
		if n := len(readAll(t, task.Corpus)); n != tt.documents || task.Corpus.Len() != n {
			t.Errorf("%s: %d documents, Len %d, want %d", tt.dir, n, task.Corpus.Len(), tt.documents)
		}
		if len(task.Queries) != tt.queries || rels != tt.rels || len(task.Warnings) != 0 {
			t.Errorf("%s: %d queries, %d judgments, warnings %q", tt.dir, len(task.Queries), rels, task.Warnings)
		}
	}
}
