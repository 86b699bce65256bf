package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/runs"
	"infbench/bench/usage"
)

// A folder that a verb did not fill for the same inputs is refused, and what is in it
// stays: a user may name the folder in which he stands.
func TestOutputsOfOthersStay(t *testing.T) {
	t.Chdir(t.TempDir())
	experiment, err := filepath.Abs("small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, experiment, fmt.Sprintf("name: small\nbase: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}\nevaluate: [mini-bright]\n", smallBackbone(t)))
	for _, c := range []struct {
		holds string
		args  []string
	}{
		{"runs/mine/plan.json", []string{"evaluate", "--model", "bm25", "--data", "mini-bright"}},
		{"scores.jsonl", []string{"evaluate", "--model", "bm25", "--data", "mini-bright"}},
		{"queries/mine", []string{"probe", "bm25", "mini-followir"}},
		{"model/model.safetensors", []string{"train", experiment}},
		{"checkpoint/state.json", []string{"train", experiment}},
		{"train.jsonl", []string{"train", experiment}},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		writeFile(t, c.holds, "mine")
		top, _, _ := strings.Cut(c.holds, "/")
		verbFails(t, usage.ExitUsage, "output folder . holds "+top, append(c.args, "--out", ".")...)
		if got := fileText(t, c.holds); got != "mine" {
			t.Errorf("%v: %s holds %q", c.args, c.holds, got)
		}
		if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
			t.Errorf("%v left %v, %v", c.args, entries, err)
		}
	}

	t.Run("the same inputs go on", func(t *testing.T) {
		t.Chdir(t.TempDir())
		for range 2 {
			verbOutput(t, "train", experiment, "--out", ".")
		}
		verbFails(t, usage.ExitUsage, "holds what another trial left", "train", experiment, "--set", "seed=2", "--out", ".")
	})
	t.Run("one at a time", func(t *testing.T) {
		t.Chdir(t.TempDir())
		_, at, err := runs.ClaimOutput(t.Context(), "out")
		if err != nil {
			t.Fatal(err)
		}
		verbFails(t, exitFailure, "output folder out: another process", "evaluate", "--model", "bm25", "--data", "mini-bright", "--out", "out")
		if err := at.Release(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("out"); err == nil {
			t.Error("an empty folder is left")
		}
	})
	t.Run("two files of one name", func(t *testing.T) {
		t.Chdir(t.TempDir())
		verbOutput(t, "evaluate", "--model", "document-order", "--data", "mini-bright", "--task", "nature", "--out", "one")
		verbOutput(t, "evaluate", "--model", "random", "--data", "mini-bright", "--task", "nature", "--out", "two")
		for from, to := range map[string]string{"one": "A", "two": "B"} {
			found, err := filepath.Glob(from + "/runs/*.trec")
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			writeFile(t, to+"/run.trec", fileText(t, found[0]))
		}
		imports := func(file string) []string {
			return []string{"import", file, "--data", "mini-bright", "--task", "nature", "--model", "own"}
		}
		verbOutput(t, imports("A/run.trec")...)
		rewrite(t, "runs/import-run/note.txt", []byte("mine"))
		before := tableHash(t, "runs/import-run")
		verbFails(t, usage.ExitUsage, "holds the import of other results", imports("B/run.trec")...)
		verbOutput(t, imports("A/run.trec")...)
		if tableHash(t, "runs/import-run") != before || fileText(t, "runs/import-run/note.txt") != "mine" {
			t.Error("the first import has changed")
		}
	})
}
