package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// contentsSweep has two cells that train nothing.
const contentsSweep = `name: kept
base: {data: mini-infir, backbone: %q}
baselines: [%s]
evaluate: [%s]
`

// plainCache copies a folder into an empty hub cache as a snapshot of plain files, not links.
func plainCache(t *testing.T, kind, id, folder string) (snapshot string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("HF_HUB_CACHE", cache)
	commit := strings.Repeat("a", 40)
	base := filepath.Join(cache, kind+"--"+strings.ReplaceAll(id, "/", "--"))
	writeFile(t, filepath.Join(base, "refs", "main"), commit)
	snapshot = filepath.Join(base, "snapshots", commit)
	if err := os.CopyFS(snapshot, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// linked moves a file of a snapshot into the cache's store, under its hash, as fetching does.
func linked(t *testing.T, path string) {
	t.Helper()
	sum, _, err := disk.SHA256(path)
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSuffix(path[:strings.Index(path, "snapshots")], "/")
	writeFile(t, filepath.Join(root, "blobs", sum), fileText(t, path))
	target, err := filepath.Rel(filepath.Dir(path), filepath.Join(root, "blobs", sum))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Symlink(target, path)); err != nil {
		t.Fatal(err)
	}
}

// swapped replaces a text in a file by another of the same length, and keeps the file's time.
func swapped(t *testing.T, path, from, to string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text := mustRead(t, path)
	if !bytes.Contains(text, []byte(from)) || len(from) != len(to) {
		t.Fatalf("%s holds no %q", path, from)
	}
	rewrite(t, path, bytes.Replace(text, []byte(from), []byte(to), 1))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// withoutSecond removes the second cell of a finished sweep, as if it had not run yet.
func withoutSecond(t *testing.T, folder string) (trial []string) {
	t.Helper()
	plan, err := spec.ReadPlan(filepath.Join(folder, runs.PlanFile))
	if err != nil || len(plan.Trials) != 2 {
		t.Fatal(err)
	}
	id := plan.Trials[1].ID
	if err := os.RemoveAll(runs.At(folder).Trial(id).Dir); err != nil {
		t.Fatal(err)
	}
	return []string{"trial", folder, id}
}

// TestChangedBetweenCells changes the inputs of a sweep's two cells after the first: the
// second stops and names the input, in this sweep and in another, and verify does not blame
// the first.
func TestChangedBetweenCells(t *testing.T) {
	backbone := smallBackbone(t)
	for name, test := range map[string]struct {
		backbone, baselines, evaluate string
		lay                           func(t *testing.T) (change func(t *testing.T))
		want                          string
		replanned                     bool // another sweep gets other trial IDs, and reports that
	}{
		"fetched data": {"tiny-bert", "bm25, random", "some/tiny", func(t *testing.T) func(*testing.T) {
			snapshot := plainCache(t, "datasets", "some/tiny", writeFiles(t, tinyBEIR))
			return func(t *testing.T) { swapped(t, filepath.Join(snapshot, "qrels", "test.tsv"), "d2\t1", "d1\t1") }
		}, "dataset some/tiny@" + strings.Repeat("a", 40) + " in the cache has changed since the plan was made: qrels/test.tsv was changed", false},
		"fetched data, linked": {"tiny-bert", "bm25, random", "some/tiny", func(t *testing.T) func(*testing.T) {
			path := filepath.Join(plainCache(t, "datasets", "some/tiny", writeFiles(t, tinyBEIR)), "qrels", "test.tsv")
			linked(t, path)
			return func(t *testing.T) { swapped(t, path, "d2\t1", "d1\t1") }
		}, "qrels/test.tsv of dataset some/tiny@main in the cache was changed since it was fetched", false},
		"imported data": {"tiny-bert", "bm25, random", "mine", func(t *testing.T) func(*testing.T) {
			data := writeFiles(t, tinyBEIR)
			verbOutput(t, "data", "import", data, "--name", "mine")
			return func(t *testing.T) { swapped(t, filepath.Join(data, "qrels", "test.tsv"), "d2\t1", "d1\t1") }
		}, "mine changed since data import", false},
		"own data": {"tiny-bert", "bm25, random", "./own", func(t *testing.T) func(*testing.T) {
			if err := os.CopyFS("own", os.DirFS(writeFiles(t, tinyBEIR))); err != nil {
				t.Fatal(err)
			}
			return func(t *testing.T) { swapped(t, filepath.Join("own", "qrels", "test.tsv"), "d2\t1", "d1\t1") }
		}, "./own is at revision sha256:", true},
		"fetched backbone": {"some/model", "bm25, untrained", "{mini-bright: [nature]}", func(t *testing.T) func(*testing.T) {
			snapshot := plainCache(t, "models", "some/model", backbone)
			return func(t *testing.T) { swapped(t, filepath.Join(snapshot, "tokenizer.json"), "[MASK]", "(MASK]") }
		}, "model some/model@" + strings.Repeat("a", 40) + " in the cache has changed since the plan was made: tokenizer.json was changed", false},
		"own backbone": {"./model", "bm25, untrained", "{mini-bright: [nature]}", func(t *testing.T) func(*testing.T) {
			if err := os.CopyFS("model", os.DirFS(backbone)); err != nil {
				t.Fatal(err)
			}
			return func(t *testing.T) { swapped(t, filepath.Join("model", "tokenizer.json"), "[MASK]", "(MASK]") }
		}, "backbone: model is at revision sha256:", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			change := test.lay(t)
			file := inFile(t, "kept.yaml", fmt.Sprintf(contentsSweep, test.backbone, test.baselines, test.evaluate))
			folder := filepath.Join("runs", "kept")
			sweep := []string{"sweep", file, "--only", "model=" + strings.ReplaceAll(test.baselines, " ", "")}
			verbOutput(t, sweep...)
			second := withoutSecond(t, folder)
			verbOutput(t, "report", folder, "--format", "html", "--out", "page.html")
			change(t)
			for _, args := range [][]string{{"verify", folder}, {"verify", "page.html", "--runs", folder}} {
				out := verbOutput(t, args...)
				wantIn(t, out, " 0 differences")
				if model := strings.Contains(test.baselines, "untrained"); !model {
					wantIn(t, out, "0 values scored again", "not checked: values on", "changed since the evaluation")
				}
			}
			verbFails(t, exitFailure, test.want, second...)
			if !test.replanned {
				verbFails(t, exitFailure, test.want, sweep...)
			}
		})
	}
}
