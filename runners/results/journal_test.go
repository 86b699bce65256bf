package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit/tracer"
)

// evaluationOf makes an evaluation with a value and the named files next to the folder.
func evaluationOf(t *testing.T, at Folder, value float64, files ...string) Folder {
	t.Helper()
	made, err := (Folder{at.Dir, disk.OS{}}).Journal().NewFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		write(t, made.Dir, name)
	}
	scores := []Result{{Benchmark: "b", Task: "t", Query: "q", Measure: "AP", Value: &value}}
	if err := made.Writer().Complete(Config{Model: "m"}, scores, Provenance{Benchmarks: []Benchmark{{Name: "b"}}}); err != nil {
		t.Fatal(err)
	}
	return made
}

// Whichever operation fails while an evaluation is moved into its place, the folder contains
// the previous one or, after the next process, the new one: complete, with the user's files,
// and without anything unfinished.
func TestReplaceAtEveryCrash(t *testing.T) {
	files := [2][]string{{"runs/b.t.trec", "queries/b.t.jsonl.gz"}, {"runs/b.t.trec", "runs/b.u.trec", "asked/b.t.trec.gz"}}
	before := func(dir string) {
		if err := At(dir).Journal().Replace(evaluationOf(t, At(dir), 0.25, files[0]...)); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "note.txt")
		write(t, dir, "runs/note.txt")
		evaluationOf(t, At(dir), 0.5, files[1]...)
	}
	replace := func(dir string) {
		made, err := filepath.Glob(filepath.Join(dir, ".tmp-"+madePrefix+"-*"))
		if err != nil || len(made) != 1 {
			t.Fatal(made, err)
		}
		if At(dir).Journal().Replace(At(made[0])) == nil {
			fmt.Print("replaced")
		}
	}
	tracer.EachFault(t, before, replace, func(what, dir, said string) {
		is := Trial{Config: Config{Model: "m"}}
		if _, taken, err := At(dir).Journal().Earlier(&is); err != nil || taken == "" {
			t.Fatalf("%s: %q, %v", what, taken, err)
		}
		var got Trial
		if err := errors.Join(At(dir).Reader().Trial(&got), At(dir).Marker().Verify()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		there := files[0]
		if *got.Results[0].Value == 0.5 {
			there = files[1]
		} else if said != "" {
			t.Errorf("%s: replaced by nothing", what)
		}
		for _, name := range append([]string{"note.txt", "runs/note.txt"}, there...) {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := At(dir).Journal().NewFolder(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if disk.IsTemporaryOf(e.Name(), madePrefix) || e.Name() == replaceFile {
				t.Errorf("%s: %s is left", what, e.Name())
			}
		}
	})
}

// A foreign file in the place of a new one is not overwritten.
func TestReplaceWritesOverNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "runs/b.t.trec")
	if err := At(dir).Journal().Replace(evaluationOf(t, At(dir), 0.5, "runs/b.t.trec")); err == nil || exists(filepath.Join(dir, DoneFile)) {
		t.Errorf("replaced, %v", err)
	}
}
