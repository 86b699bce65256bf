package command

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/runs"
)

// mapPoints reads the coordinates of each text that map wrote.
func mapPoints(t *testing.T, folder string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(mustRead(t, filepath.Join(folder, "map.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A map holds instructions, queries and passages of every source, as a page, a drawing and
// coordinates, the same each time; the model and the vectors that encode wrote give the same
// map.
func TestMap(t *testing.T) {
	model := goldenModel(t, "bert", nil)
	t.Chdir(t.TempDir())
	said := verbOutput(t, "data", "map", "mini-infir", "mini-followir", "--model", model, "--sample", "40", "--out", "a", "--keep", "both")
	for _, want := range []string{"Map of 240 texts by bert", "trustworthiness of a random plane", "mini-infir, field passage: 40 of 3,600 texts", "mini-followir, field document: 40 of"} {
		if !strings.Contains(said, want) {
			t.Errorf("map says no %q:\n%s", want, said)
		}
	}
	if rows := mapPoints(t, "a"); len(rows) != 241 || rows[240][0] != "mini-followir" || rows[240][1] != "document" {
		t.Errorf("%d rows, the last %v", len(rows), rows[len(rows)-1])
	}
	verbOutput(t, "data", "map", "mini-infir", "mini-followir", "--model", model, "--sample", "40", "--out", "b")
	for _, name := range []string{"map.csv", "map.json"} {
		if !bytes.Equal(mustRead(t, filepath.Join("a", name)), mustRead(t, filepath.Join("b", name))) {
			t.Errorf("made twice, %s differs", name)
		}
	}
	for _, name := range []string{"map.html", "map.svg"} {
		if !bytes.Contains(mustRead(t, filepath.Join("a", name)), []byte("mini-followir, document")) {
			t.Errorf("%s does not name its texts", name)
		}
	}
	for _, field := range []string{"instruction", "query"} {
		verbOutput(t, "encode", "mini-infir", "--field", field, "--sample", "60", "--seed", "7", "--model", model, "--out", field+".npy")
	}
	verbOutput(t, "data", "map", "instruction.npy", "query.npy", "--sample", "0", "--method", "tsne", "--perplexity", "5", "--out", "vectors")
	verbOutput(t, "data", "map", "mini-infir", "--field", "instruction", "--field", "query", "--sample", "60", "--seed", "7", "--model", model, "--out", "model")
	byFile, byModel := mapPoints(t, "vectors"), mapPoints(t, "model")
	if len(byFile) != 121 || len(byModel) != 121 {
		t.Fatalf("%d and %d rows", len(byFile), len(byModel))
	}
	for i := range byFile {
		if byFile[i][2] != byModel[i][2] || byFile[i][5] != byModel[i][5] {
			t.Errorf("row %d: %v, by the model %v", i, byFile[i], byModel[i])
		}
	}
}

// The view shows a kept map in every format, and the page verifies; the page carries every
// text once for the chart, escaped, and no script runs.
func TestMapIsShown(t *testing.T) {
	model := goldenModel(t, "bert", nil)
	var lines []string
	for _, text := range []string{"</script><script>alert(1)</script>", "one two", "red fox", "find doc", "=1+1", "a b", "narrow", "three four", "blue", "whale two"} {
		line, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	file := inFile(t, "texts.jsonl", strings.Join(lines, "\n"))
	t.Chdir(t.TempDir())
	if out := verbOutput(t, "report", "--view", "map"); !strings.Contains(out, "infbench data map mini-infir") {
		t.Error(out)
	}
	verbOutput(t, "data", "map", file, "--model", model, "--neighbours", "2", "--keep", "few", "--out", "few")
	if !bytes.Contains(mustRead(t, "few/map.csv"), []byte("'=1+1")) {
		t.Error("a cell runs as a formula")
	}
	for _, format := range []string{"terminal", "markdown", "csv", "json", "html"} {
		out := verbOutput(t, "report", "--view", "map", "--format", format, "--out", "page."+format)
		if text := string(mustRead(t, "page."+format)); !strings.Contains(text, "trustworthiness") || strings.Contains(text, "<script>alert") {
			t.Errorf("%s: %s", format, out)
		}
	}
	if page := string(mustRead(t, "page.html")); !strings.Contains(page, `"legend":`) || !strings.Contains(page, `whale two`) {
		t.Error("the page has no chart of the texts")
	}
	verbOutput(t, "verify", "page.html", "--runs", "runs")
	kept := runs.StudyFile("map", "few")
	reseal(t, kept, `"points": "`, `"points": "AAAA`)
	verbFails(t, exitFailure, "map few: points of texts.jsonl, text", "report", "--view", "map")
}

func TestMapErrors(t *testing.T) {
	texts, model := inFile(t, "texts.jsonl", sixTexts), goldenModel(t, "bert", nil)
	t.Chdir(t.TempDir())
	verbOutput(t, "encode", texts, "--model", model, "--out", "six.npy")
	verbOutput(t, "encode", texts, "--model", model, "--out", "bare.npy")
	if err := os.Remove("bare.npy.json"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "requires at least 1 arg", nil},
		{usage.ExitUsage, "needs --out FOLDER or --keep NAME", []string{texts, "--model", model}},
		{usage.ExitUsage, "texts need --model", []string{texts, "--out", "o"}},
		{usage.ExitUsage, `unknown method "tsen"; did you mean "tsne"?`, []string{texts, "--model", model, "--out", "o", "--method", "tsen"}},
		{usage.ExitUsage, "--neighbours 3 of 6 texts", []string{texts, "--model", model, "--out", "o", "--neighbours", "3"}},
		{usage.ExitUsage, "perplexity 30 needs more than 90 vectors", []string{texts, "--model", model, "--out", "o", "--neighbours", "2", "--method", "tsne"}},
		{usage.ExitUsage, `did you mean "mini-infir"?`, []string{"mini-infr", "--model", model, "--out", "o"}},
		{exitFailure, "no bare.npy.json describes these vectors", []string{"bare.npy", "--out", "o"}},
		{exitFailure, "absent.npy", []string{"absent.npy", "--out", "o"}},
	} {
		verbFails(t, c.code, c.want, append([]string{"data", "map"}, c.args...)...)
	}
	rewrite(t, texts, []byte(strings.Replace(sixTexts, "cat", "dog", 1)))
	verbFails(t, exitFailure, "six.npy holds vectors of other texts than field text of", "data", "map", "six.npy", "--out", "o")
	if _, err := os.Stat("o"); err == nil {
		t.Error("a verb that failed left its output")
	}
}
