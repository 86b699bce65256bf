package command

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
)

// filesOf returns all files below the working folder with their content.
func filesOf(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// refusedAsUsage runs a command that must be a usage error and change nothing.
func refusedAsUsage(t *testing.T, want string, args ...string) {
	t.Helper()
	before := filesOf(t)
	verbFails(t, usage.ExitUsage, want, args...)
	if !maps.Equal(filesOf(t), before) {
		t.Errorf("infbench %q changed a file", args)
	}
}

// No verb overwrites its input or a file of another kind; its own earlier output is
// overwritten.
func TestOutputFilesSpareOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	writeFile(t, "train.jsonl", tripletLines(datasets.MiniInfIR(1)[:4]))
	writeFile(t, "note.txt", "Remember the milk\n")
	mustRunIn(t, ".", "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/e")
	for out, args := range map[string][]string{
		"v.npy":    {"encode", "train.jsonl", "--field", "query", "--model", "small-bert"},
		"m.jsonl":  {"data", "mine", "--data", "train.jsonl", "--model", "bm25", "--negatives", "1"},
		"o.json":   {"data", "overlap", "train.jsonl", "data"},
		"r.html":   {"report", "runs/e", "--format", "html"},
		"runs/e.x": {"report", "runs/e", "--format", "csv"},
	} {
		refusedAsUsage(t, "train.jsonl", slices.Concat(args, []string{"--out", "train.jsonl"})...)
		if filepath.Ext(out) != ".x" { // for text the name decides
			refusedAsUsage(t, "note.txt", slices.Concat(args, []string{"--out", "note.txt"})...)
		}
		for range 2 {
			verbOutput(t, slices.Concat(args, []string{"--out", out})...)
		}
	}
	refusedAsUsage(t, "scores.jsonl", "report", "runs/e", "--format", "json", "--out", "runs/e/scores.jsonl")
	refusedAsUsage(t, "provenance.json", "report", "runs/e", "--format", "json", "--out", "runs/e/provenance.json")
}

// A verb that fills a folder accepts an empty one, or one it filled with the same inputs;
// folders with other files stay unchanged.
func TestOutputFoldersSpareOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	for name, text := range tinyBEIR {
		writeFile(t, filepath.Join("other", filepath.FromSlash(name)), text)
	}
	writeFile(t, "texts.jsonl", "{\"text\": \"one\"}\n{\"text\": \"two\"}\n{\"text\": \"three\"}\n{\"text\": \"four\"}\n{\"text\": \"five\"}\n")
	writeFile(t, "more.jsonl", "{\"text\": \"six\"}\n{\"text\": \"seven\"}\n{\"text\": \"eight\"}\n{\"text\": \"nine\"}\n{\"text\": \"ten\"}\n")
	for run, data := range map[string]string{"one": "data", "two": "other"} {
		mustRunIn(t, ".", "evaluate", "--model", "bm25", "--data", data, "--out", "runs/"+run)
	}
	export := func(format string) []string { return []string{"export", "--format", format} }
	drawn := []string{"data", "map", "--model", "small-bert", "--neighbours", "1"}
	for _, c := range []struct {
		verb       []string
		one, other string
		file       string // written by it
	}{
		{export("csv"), "runs/one", "runs/two", "values.csv"},
		{export("json"), "runs/one", "runs/two", "results.json"},
		{export("mteb"), "runs/one", "runs/two", "results"},
		{export("qrels"), "runs/one", "runs/two", "data.test.qrels"},
		{export("trec"), "runs/one", "runs/two", "one"},
		{drawn, "texts.jsonl", "more.jsonl", "map.csv"},
	} {
		of := func(input, out string) []string { return slices.Concat(c.verb, []string{input, "--out", out}) }
		writeFile(t, "theirs/"+c.file, "of the user")
		refusedAsUsage(t, "theirs", of(c.one, "theirs")...)
		for range 2 {
			verbOutput(t, of(c.one, "made")...)
		}
		if _, err := os.Stat(filepath.Join("made", c.file)); err != nil {
			t.Errorf("%q: %v", c.verb, err)
		}
		refusedAsUsage(t, c.one, of(c.other, "made")...)
		writeFile(t, "made/note.txt", "of the user")
		verbOutput(t, of(c.one, "made")...)
		if got := mustRead(t, "made/note.txt"); !bytes.Equal(got, []byte("of the user")) {
			t.Errorf("%q: the note is %q", c.verb, got)
		}
		if err := os.RemoveAll("made"); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll("theirs"); err != nil {
			t.Fatal(err)
		}
	}
	verbOutput(t, "export", "--format", "csv", "--out", "made", "runs/one")
	refusedAsUsage(t, "export --format csv", "export", "--format", "json", "--out", "made", "runs/one")
	writeFile(t, "made/.infbench.json", strings.Replace(string(mustRead(t, "made/.infbench.json")), "csv", "tsv", 1))
	before := filesOf(t)
	verbFails(t, exitFailure, "cannot be read", "export", "--format", "csv", "--out", "made", "runs/one")
	if after := filesOf(t); len(after) != len(before) {
		t.Errorf("%d files, %d before", len(after), len(before))
	}
}
