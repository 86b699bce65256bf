package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// fourQueries is a collection of four documents, each relevant to one query.
func fourQueries() map[string]string {
	files := map[string]string{"corpus.jsonl": "", "queries.jsonl": "", "qrels/test.tsv": "query-id\tcorpus-id\tscore\n"}
	for i := range 4 {
		files["corpus.jsonl"] += fmt.Sprintf(`{"_id": "d%d", "title": "", "text": "word%d"}`+"\n", i, i)
		files["queries.jsonl"] += fmt.Sprintf(`{"_id": "q%d", "text": "word%d"}`+"\n", i, i)
		files["qrels/test.tsv"] += fmt.Sprintf("q%d\td%d\t1\n", i, i)
	}
	return files
}

// If a run file ranks only some queries of a task, their number is on the terminal and in the
// report of the evaluation; a run file that ranks none is an error.
func TestRunFileCoverage(t *testing.T) {
	data := writeFiles(t, fourQueries())
	const said = " ranks 1 of 4 queries of %s/%s; 3 count as empty rankings"
	part, none := inFile(t, "part.trec", "q2 Q0 d2 1 1 part\nq9 Q0 d2 1 1 part\n"), inFile(t, "none.trec", "q9 Q0 d2 1 1 none\n")

	out := filepath.Join(t.TempDir(), "out")
	stdout := verbOutput(t, "evaluate", "--model", part, "--data", data, "--out", out, "--measure", "RR")
	if want := fmt.Sprintf(said, filepath.Base(data), "test"); !strings.Contains(stdout, want) || !strings.Contains(stdout, "25.00") {
		t.Errorf("evaluate prints %s, want %q", stdout, want)
	}
	for _, format := range []string{"terminal", "markdown", "html"} {
		if page := verbOutput(t, "report", out, "--format", format); !strings.Contains(page, fmt.Sprintf(said, filepath.Base(data), "test")) {
			t.Errorf("the report as %s lacks the note", format)
		}
	}
	whole := inFile(t, "whole.trec", "q0 Q0 d0 1 1 t\nq1 Q0 d0 1 1 t\nq2 Q0 d2 1 1 t\nq3 Q0 d3 1 1 t\n")
	if stdout := verbOutput(t, "evaluate", "--model", whole, "--data", data, "--out", filepath.Join(t.TempDir(), "out")); strings.Contains(stdout, "empty rankings") {
		t.Errorf("note on a complete run: %s", stdout)
	}
	verbFails(t, exitFailure, `run none: none of its 1 queries ("q9" is the first) is among the task's 4 ("q0")`,
		"evaluate", "--model", none, "--data", data, "--out", filepath.Join(t.TempDir(), "out"))

	qrels := inFile(t, "beir.qrels", "q0 0 d0 1\nq1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n")
	taken := filepath.Join(t.TempDir(), "taken")
	verbOutput(t, "import", part, "--qrels", qrels, "--model", "team/part", "--out", taken, "--measure", "RR")
	if page := verbOutput(t, "report", taken); !strings.Contains(page, fmt.Sprintf(said, "beir", "default")) {
		t.Errorf("the report of an import lacks the note: %s", page)
	}
	verbFails(t, exitFailure, "none of its queries is in beir/default", "import", none, "--qrels", qrels, "--model", "team/none", "--out", filepath.Join(t.TempDir(), "none"))
}

// A file that is not a run is refused by everything that reads runs: its first line has no
// number for rank and score.
func TestNoRunFile(t *testing.T) {
	data, qrels := writeFiles(t, fourQueries()), inFile(t, "beir.qrels", "q0 0 d0 1\n")
	good := inFile(t, "good.trec", "q0 Q0 d0 1 1 t\n")
	for name, text := range map[string]string{
		"json":  `{"a": [1, 2, 3, 4, 5, "float64"]}` + "\n",
		"rank":  "\n# a comment\nq0 Q0 d0 first 1.5 t\n",
		"score": "q0 Q0 d0 1 high t\nq0 Q0 d1 2 0.5 t\n",
		"words": "this is a text of seven words\n",
	} {
		path := inFile(t, name, text)
		line := 1
		if name == "rank" {
			line = 3
		}
		want := fmt.Sprintf("%s:%d: not a run: want numbers as rank and score, found ", path, line)
		verbFails(t, exitFailure, want, "evaluate", "--model", path, "--data", data, "--out", filepath.Join(t.TempDir(), "out"))
		verbFails(t, exitFailure, want, "score", "--run", path, "--qrels", qrels)
		verbFails(t, exitFailure, want, "compare", good, path, "--qrels", qrels)
		verbFails(t, exitFailure, want, "import", path, "--as", "trec", "--qrels", qrels, "--model", "m", "--out", filepath.Join(t.TempDir(), "out"))
	}
}

// Every verb that reads a run or its judgments prints the warnings about them.
func TestRunWarnings(t *testing.T) {
	data := writeFiles(t, fourQueries())
	writeFile(t, filepath.Join(data, "trec", "qrels.txt"), "q0 0 d0 1\nq1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\nq0 0 d1 .9\n")
	documents := ""
	for i := range 4 {
		documents += fmt.Sprintf("<DOC>\n<DOCNO>d%d</DOCNO>\n<TEXT>word%d</TEXT>\n</DOC>\n", i, i)
	}
	writeFile(t, filepath.Join(data, "trec", "documents"), documents)
	writeFile(t, filepath.Join(data, "trec", "topics.tsv"), "q0\tword0\nq1\tword1\nq2\tword2\nq3\tword3\n")
	data = filepath.Join(data, "trec")
	qrels := filepath.Join(data, "qrels.txt")
	for name, c := range map[string]struct{ run, want string }{
		"grade":     {"q0 Q0 d0 1 1 t\n", `qrels.txt:5: grade ".9" read as 0, as trec_eval does`},
		"score":     {"q0 Q0 d0 1 1 t\nq1 Q0 d1 1 0,9 t\n", `score.run:2: score "0,9" read as 0, as trec_eval does`},
		"unjudged":  {"q0 Q0 d0 1 1 t\nx Q0 d1 1 1 t\ny Q0 d1 1 1 t\n", "unjudged.run: 2 of 3 queries have no judgments in "},
		"distances": {"q0 Q0 d0 1 .1 t\nq0 Q0 d1 2 .4 t\n", "distances.run:2: all ranks contradict the scores"},
	} {
		path := inFile(t, name+".run", c.run)
		out := filepath.Join(t.TempDir(), "out")
		for _, args := range [][]string{
			{"score", "--run", path, "--qrels", qrels, "--measure", "RR"},
			{"compare", path, path, "--qrels", qrels, "--measure", "RR"},
			{"import", path, "--as", "trec", "--qrels", qrels, "--measure", "RR", "--model", "m", "--out", out},
			{"evaluate", "--model", path, "--data", data, "--measure", "RR", "--out", out + "2"},
		} {
			var stdout, stderr bytes.Buffer
			if code := run(args, &stdout, &stderr); code != exitOK || strings.Count(stdout.String()+stderr.String(), c.want) == 0 {
				t.Errorf("%s: %s: exit %d, %s%s; want %q", name, args[0], code, stdout.String(), stderr.String(), c.want)
			}
		}
	}
}

// trec_eval's rbp weights by grades: if there are any, the format of trec_eval warns.
func TestGradedRBP(t *testing.T) {
	path := inFile(t, "a.run", "q Q0 d 1 1 t\n")
	for grades, want := range map[string]bool{"q 0 d 1\nq 0 e 0\n": false, "q 0 d 2\n": true, "q 0 d 1\nq 0 e 3\n": true} {
		for _, format := range []string{"trec", "csv"} {
			for _, measure := range []string{"rbp", "map"} {
				var stdout, stderr bytes.Buffer
				code := run([]string{"score", "--run", path, "--qrels", inFile(t, "qrels", grades), "--measure", measure, "--format", format}, &stdout, &stderr)
				warns := strings.Contains(stderr.String(), "rbp differs from trec_eval")
				if code != exitOK || warns != (want && format == "trec" && measure == "rbp") {
					t.Errorf("%s of %q as %s: exit %d, %s", measure, grades, format, code, stderr.String())
				}
			}
		}
	}
}
