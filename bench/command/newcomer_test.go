package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// TestNewcomer types what the README says to one who has a clone, texts to train on and a
// collection, both with what is odd and allowed: at most six commands to a page of own
// numbers, which verify makes again.
func TestNewcomer(t *testing.T) {
	testkit.Deep(t)
	dir := t.TempDir()
	oddTriplets(t, filepath.Join(dir, "trip.jsonl"))
	oddCollection(t, filepath.Join(dir, "scifact", "beir"))
	commands := indented(pageSection(t, "On data of your own"))
	if len(commands) == 0 || len(commands) > 6 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	// make build, here: the program under test as bin/infbench.
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	script(t, filepath.Join(tools, "make"), `[ "$1" = build ] && mkdir -p bin && cp '`+filepath.Join(tools, "infbench")+`' bin/`)
	script(t, filepath.Join(tools, "infbench"), asCommand+`=1 exec '`+program+`' "$@"`)
	cmd := exec.Command("bash", "-exc", strings.Join(commands, "\n"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+tools+":"+os.Getenv("PATH"), "HF_HUB_CACHE="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"nothing reads lang, score", "scifact/test", "uni(P)", "report: runs/own/report.html", "those where uni(P) is furthest behind untrained first"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
	ownNumbers(t, dir)
	t.Chdir(dir)
	if out := verbOutput(t, "verify", "runs/own/report.html", "--runs", "runs/own"); !strings.Contains(out, " 0 differences") {
		t.Error(out)
	}
}

// script writes a program.
func script(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path, "#!/bin/sh\n"+text+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// ownNumbers holds what BM25 reached to the rankings that it left: of every query the
// only relevant document shares its words, and none is asked that has no judgment.
func ownNumbers(t *testing.T, dir string) {
	t.Helper()
	exp, err := runs.At(filepath.Join(dir, "runs", "own")).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range exp.Trials {
		queries := map[string]bool{}
		for _, r := range trial.Results {
			queries[r.Query] = true
			if trial.Config[results.Model] == "bm25" && r.Measure == "nDCG@10" && *r.Value != 1 {
				t.Errorf("BM25 on query %s: nDCG@10 is %v, want 1", r.Query, *r.Value)
			}
		}
		if len(queries) != oddQueries {
			t.Errorf("%s has values of %d queries, want %d", trial.ID, len(queries), oddQueries)
		}
	}
}

// oddTriplets are pairs with a byte order mark, lines that end in CR LF, an instruction in
// some, null in others, columns that nobody asked for, and letters of several scripts.
func oddTriplets(t *testing.T, path string) {
	var text strings.Builder
	text.WriteString("\ufeff")
	for i := range 48 {
		record := map[string]any{"query": fmt.Sprintf("größe von ding %d", i), "positive": fmt.Sprintf("Das Ding %d — 東京, naïve — ist groß.", i),
			"negatives": []string{fmt.Sprintf("Ein anderes Ding %d.", i+7)}, "score": 0.5, "lang": "de"}
		switch i % 3 {
		case 0:
			record["instruction"] = nil
		case 1:
			record["instruction"] = fmt.Sprintf("Nur Texte aus dem Jahr %d.", 1950+i)
		}
		line, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, "\r\n"...))
	}
	writeFile(t, path, text.String()+"\r\n")
}

// oddQueries is how many queries of oddCollection are judged.
const oddQueries = 20

// oddCollection is one in BEIR's layout with documents without a title, IDs with slashes
// and colons, numbers as IDs, fields that nobody asked for, grades, judgments of what is
// irrelevant and of a document that is not there, and a query without judgments.
func oddCollection(t *testing.T, dir string) {
	var corpus, queries strings.Builder
	corpus.WriteString("\ufeff")
	judged := "query-id\tcorpus-id\tscore\r\n"
	for i := range 2 * oddQueries {
		title := ""
		if i%2 == 0 {
			title = fmt.Sprintf(`"title":"Blatt %d","metadata":{"url":"http://example.org/%d"},`, i, i)
		}
		fmt.Fprintf(&corpus, `{"_id":"docs/%d:a",%s"text":"wort%d über Straßen\u2028und Züge"}`+"\r\n", i, title, i)
	}
	for i := range oddQueries {
		fmt.Fprintf(&queries, `{"_id":%d,"text":"was ist wort%d?","metadata":{}}`+"\n", i+1, i)
		judged += fmt.Sprintf("%d\tdocs/%d:a\t%d\r\n%d\tdocs/%d:a\t0\r\n", i+1, i, 1+i%2, i+1, i+oddQueries)
	}
	queries.WriteString(`{"_id":"niemand","text":"was niemand beurteilt hat"}`)
	judged += "1\tdocs/verloren\t0\r\n"
	writeFile(t, filepath.Join(dir, "corpus.jsonl"), corpus.String()+"\n")
	writeFile(t, filepath.Join(dir, "queries.jsonl"), queries.String())
	writeFile(t, filepath.Join(dir, "qrels", "test.tsv"), regexp.MustCompile(`\r\n$`).ReplaceAllString(judged, ""))
}
