package datasets

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

func tinyTREC() map[string]string {
	return map[string]string{
		"docs/fb1.sgml": "<DOC>\n<DOCNO> FB-1 </DOCNO>\n<DATE>1</DATE><HEADLINE>Head &amp; line</HEADLINE>\n<TEXT>\nBody <P>one</P>\n</TEXT>\n</DOC>\n",
		"docs/fb2.gz":   "<DOC><DOCNO>FB-2</DOCNO>Bare text</DOC>\n",
		"topics.401-450": "<top>\n<num> Number: 401 \n<title> foreign minorities\n\n<desc> Description:\nWhat?\n\n<narr> Narrative:\nA document.\n</top>\n" +
			"<top><num> Number: 402<title> unjudged</top>",
		"qrels.txt": "401 0 FB-1 2\n401 0 FB-9 1\n401 0 FB-2 0\n",
		"README.md": "not a document",
	}
}

func TestOpenTREC(t *testing.T) {
	b, err := OpenTREC(writeFiles(t, tinyTREC()))
	if err != nil {
		t.Fatal(err)
	}
	task := b.Tasks[0]
	want := []Document{{ID: "FB-1", Title: "Head & line", Text: "Body one"}, {ID: "FB-2", Text: "Bare text"}}
	if docs := readAll(t, task.Corpus); !slices.Equal(docs, want) {
		t.Errorf("documents %+v, want %+v", docs, want)
	}
	found, err := task.Corpus.(*FileCorpus).Lookup([]string{"FB-2", "FB-9", "FB-2"})
	if err != nil || len(found) != 1 || found["FB-2"] != want[1] {
		t.Errorf("looked up %v, %v", found, err)
	}
	if want := []Query{{ID: "401", Text: "foreign minorities", Instruction: "What? A document."}}; !slices.Equal(task.Queries, want) {
		t.Errorf("queries %+v, want %+v", task.Queries, want)
	}
	if task.Qrels["401"]["FB-1"] != 2 || len(task.Qrels["401"]) != 3 {
		t.Errorf("qrels %v", task.Qrels)
	}
	if len(task.Warnings) != 1 || !strings.Contains(task.Warnings[0], `1 of 3 judgments are of documents the corpus lacks`) ||
		!strings.Contains(task.Warnings[0], `document "FB-9"`) {
		t.Errorf("warnings %q", task.Warnings)
	}
}

// A folder in TREC layout is recognized by any name of its judgments, in any layout of
// format.OpenQrels.
func TestOpenTRECQrels(t *testing.T) {
	for _, c := range []struct{ name, qrels string }{
		{"qrels", "401 0 FB-1 2\n401 0 FB-9 1\n401 0 FB-2 0\n"},
		{"qrels.tsv", "query-id\tcorpus-id\tscore\n401\tFB-1\t2\n401\tFB-9\t1\n401\tFB-2\t0\n"},
		{"qrels", "401\tFB-1\t2\n401\tFB-9\t1\n401\tFB-2\t0\n"},
	} {
		files := tinyTREC()
		delete(files, "qrels.txt")
		files[c.name] = c.qrels
		b, err := openLayout(writeFiles(t, files))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := b.Tasks[0].Qrels["401"]; got["FB-1"] != 2 || len(got) != 3 || len(b.Tasks[0].Warnings) != 1 {
			t.Errorf("%s: %v, warnings %q", c.name, got, b.Tasks[0].Warnings)
		}
	}
}

func TestOpenTRECFaults(t *testing.T) {
	for _, tt := range []struct{ name, drop, want string }{
		{"topics", "topics.401-450", "no file named topics*"},
		{"qrels", "qrels.txt", "no file named qrels*"},
	} {
		files := tinyTREC()
		delete(files, tt.drop)
		if _, err := OpenTREC(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	files := tinyTREC()
	files["docs/fb3"] = "<DOC><DOCNO>FB-2</DOCNO>Other text</DOC>\n"
	if _, err := OpenTREC(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), `fb3:1: document "FB-2" differs`) {
		t.Errorf("two documents of one ID: %v", err)
	}
	files = tinyTREC()
	files["topics.401-450"] = "<top><num>401<title>a</top>\n<top><num>401<title>b</top>"
	if _, err := OpenTREC(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), `topics.401-450:2: query "401" differs`) {
		t.Errorf("two topics of one ID: %v", err)
	}
}

// sameTask compares two tasks that should have the same collection; it ignores the case of queries,
// as one of Vaswani's two forms is in capitals.
func sameTask(t *testing.T, name string, a, b *Task) {
	t.Helper()
	docsA, docsB := readAll(t, a.Corpus), readAll(t, b.Corpus)
	if !slices.Equal(docsA, docsB) {
		t.Errorf("%s: %d and %d documents differ", name, len(docsA), len(docsB))
	}
	equal := func(p, q Query) bool { return p.ID == q.ID && strings.EqualFold(p.Text, q.Text) }
	if !slices.EqualFunc(a.Queries, b.Queries, equal) {
		t.Errorf("%s: %d and %d queries differ", name, len(a.Queries), len(b.Queries))
	}
	pairs := 0
	for q, of := range a.Qrels {
		for doc, grade := range of {
			pairs++
			if got, ok := b.Qrels[q][doc]; !ok || got != grade {
				t.Errorf("%s: query %s, document %s: grades %d and %d", name, q, doc, grade, got)
			}
		}
		if len(of) != len(b.Qrels[q]) {
			t.Errorf("%s: query %s has %d and %d judgments", name, q, len(of), len(b.Qrels[q]))
		}
	}
	if len(a.Qrels) != len(b.Qrels) || pairs == 0 {
		t.Errorf("%s: %d and %d judged queries", name, len(a.Qrels), len(b.Qrels))
	}
}

// TestVaswaniTwice reads the real collection in both layouts.
func TestVaswaniTwice(t *testing.T) {
	dir := testkit.SharedPath(t, "data/vaswani")
	beir, err := OpenBEIR(filepath.Join(dir, "beir"))
	if err != nil {
		t.Fatal(err)
	}
	sgml, err := OpenTRECFiles("vaswani", TRECFiles{
		Documents: []string{filepath.Join(dir, "doc-text.trec")},
		Topics:    filepath.Join(dir, "query-text.trec"), Qrels: filepath.Join(dir, "qrels"),
	})
	if err != nil {
		t.Fatal(err)
	}
	sameTask(t, "vaswani", &beir.Tasks[0], &sgml.Tasks[0])
}

// TestSciFactTwice reads the real collection with BEIR's queries and qrels, and
// with Anserini's topics and TREC qrels.
func TestSciFactTwice(t *testing.T) {
	dir := testkit.SharedPath(t, "data/scifact")
	beir, err := OpenBEIR(filepath.Join(dir, "beir"))
	if err != nil {
		t.Fatal(err)
	}
	anserini, err := OpenTRECFiles("scifact", TRECFiles{
		Documents: []string{filepath.Join(dir, "beir", "corpus.jsonl")},
		Topics:    filepath.Join(dir, "topics.beir-v1.0.0-scifact.test.tsv.gz"),
		Qrels:     filepath.Join(dir, "qrels.beir-v1.0.0-scifact.test.txt"),
	})
	if err != nil {
		t.Fatal(err)
	}
	sameTask(t, "scifact", &beir.Tasks[0], &anserini.Tasks[0])
}
