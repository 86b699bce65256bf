package command

import (
	"bytes"
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

// newcomer types the indented commands of a text in order, then those within sentences. Its
// folder is like a fresh clone with training texts and a collection, both unusual in
// permitted ways. It returns the folder and the output of the commands.
func newcomer(t *testing.T, text string) (dir, out string) {
	t.Helper()
	commands := indented(text)
	if len(commands) == 0 {
		t.Fatal("no command")
	}
	for _, found := range inlineCommand.FindAllStringSubmatch(text, -1) {
		commands = append(commands, strings.Join(strings.Fields(found[1]), " "))
	}
	s := newPageStage(t)
	oddTriplets(t, s.path("trip.jsonl"))
	oddCollection(t, s.path("scifact/beir"))
	// make and the tools here: the program under test as bin/infbench, and the smaller demo.
	tools := t.TempDir()
	script(t, filepath.Join(tools, "make"), `case "$1" in
build) mkdir -p bin && cp '`+filepath.Join(s.home, "bin", "infbench")+`' bin/ ;;
demo) bin/infbench sweep bench/experiments/demo.yaml ;;
*) exit 2 ;;
esac`)
	cmd := exec.Command("bash", "-exc", strings.Join(commands, "\n"))
	// Before make build there is no infbench.
	cmd.Dir, cmd.Env = s.dir, append(s.env, "PATH="+tools+":"+os.Getenv("PATH"))
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return s.dir, string(output)
}

// says checks that the output contains each of some texts.
func says(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
}

// TestNewcomer types the commands that README.md gives to a reader with own data, and the
// three pages for users, from the first command to the last. With own data, at most six
// commands lead to a page of numbers, which verify makes again.
func TestNewcomer(t *testing.T) {
	testkit.Deep(t)
	page := map[string]string{}
	for _, p := range docPages(t) {
		page[p.path] = p.text
	}
	t.Run("own data", func(t *testing.T) {
		section := pageSection(t, "On data of your own")
		if n := len(indented(section)); n > 6 {
			t.Errorf("%d commands", n)
		}
		dir, out := newcomer(t, section)
		says(t, out, "these columns are not used: lang, score", "scifact/test", "uni(P)", "report: runs/own/report.html", "starting with those where uni(P) is furthest behind untrained")
		ownNumbers(t, dir)
		t.Chdir(dir)
		says(t, verbOutput(t, "verify", "runs/own/report.html", "--runs", "runs/own"), " 0 differences")
	})
	t.Run("researcher", func(t *testing.T) {
		dir, out := newcomer(t, page["docs/researcher.md"])
		says(t, out, "report: runs/demo/report.html", "first: 10 trials, 6 to run", "6 with models that were trained before", "mini-bright", "report: runs/own/report.html", "intfloat/e5-base-v2")
		ownNumbers(t, dir)
		t.Chdir(dir)
		says(t, verbOutput(t, "verify", "runs/first/report.html", "--runs", "runs/first"), " 0 differences")
	})
	t.Run("reviewer", func(t *testing.T) {
		dir, out := newcomer(t, page["docs/reviewer.md"])
		says(t, out, "report.html: ", " 0 differences, ", "values scored again", "exit code 1", "the same again")
		if found := string(mustRead(t, filepath.Join(dir, "found.txt"))); !strings.Contains(found, "DIFFERS") {
			t.Errorf("no difference of a changed page:\n%s", found)
		}
	})
	t.Run("ci", func(t *testing.T) {
		dir, out := newcomer(t, page["docs/ci.md"])
		says(t, out, "exit code 3", "large and real", "accepted by Ann until", "gate met", " 0 differences")
		if !strings.Contains(page["docs/ci.md"], string(afterComment(mustRead(t, filepath.Join(dir, ".github", "gate.yaml"))))) {
			t.Error("docs/ci.md has other rules than .github/gate.yaml")
		}
	})
}

// afterComment is a file without its first line, a comment.
func afterComment(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}

// script writes a program.
func script(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path, "#!/bin/sh\n"+text+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// ownNumbers checks the BM25 scores against the saved rankings: only the relevant document of
// each query shares its words, and queries without judgments are not run.
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

// oddTriplets writes pairs with a byte order mark, CR LF line ends, an instruction in some
// and null in others, unused columns, and letters of several scripts.
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

// oddQueries is the number of judged queries in oddCollection.
const oddQueries = 20

// oddCollection writes a collection in BEIR's layout with documents without a title, IDs with
// slashes and colons, numbers as IDs, unused fields, grades, judgments of irrelevant
// documents and of a missing document, and a query without judgments.
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
