package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// has returns a function that reports whether a corpus of these documents has one.
func has(docs ...string) func(string) bool {
	return func(doc string) bool { return strings.Contains(strings.Join(docs, " "), doc) }
}

// TestJudgments: both formats give the same result for the same judgments.
func TestJudgments(t *testing.T) {
	dir := t.TempDir()
	tsv, txt := filepath.Join(dir, "test.tsv"), filepath.Join(dir, "qrels.txt")
	if err := errors.Join(
		os.WriteFile(tsv, []byte("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td8\t0\nq2\td9\t2\nq1\td1\t1\n"), 0o600),
		os.WriteFile(txt, []byte("q1 0 d1 1\nq1 0 d8 0\nq2 0 d9 2\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	plain, err := readJudgments([]string{tsv}, has("d1"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(plain.Warnings(), "\n"); got != "1 of 4 judgments repeat an earlier one\n2 of 4 judgments are of documents the corpus lacks, first test.tsv:3: query \"q1\", document \"d8\"" {
		t.Error(got)
	}
	other, err := readTRECJudgments(txt, has("d1"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(other.Warnings(), "\n"); got != "2 of 3 judgments are of documents the corpus lacks, first in qrels.txt: query \"q1\", document \"d8\"" {
		t.Error(got)
	}
	for _, j := range []*judgmentReader{plain, other} {
		if err := j.CheckFound(j.Qrels); err != nil {
			t.Error(err)
		}
		if err := j.CheckFound(trec.Qrels{"q2": j.Qrels["q2"]}); !errors.Is(err, ErrJudgedAbsent) || !strings.Contains(err.Error(), `document "d8"`) {
			t.Errorf("a query none of whose documents is there: %v", err)
		}
	}
}
