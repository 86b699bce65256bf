package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"infbench/datasets/atomicfile"
	"infbench/datasets/atomicfile/breakfs"
)

// evaluationOf makes an evaluation with a value, beside the folder, of the files named.
func evaluationOf(t *testing.T, at Folder, value float64, files ...string) Folder {
	t.Helper()
	made, err := (Folder{at.Dir, atomicfile.OS{}}).Beside()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		write(t, made.Dir, name)
	}
	scores := []Result{{Benchmark: "b", Task: "t", Query: "q", Measure: "AP", Value: &value}}
	if err := made.Complete(Config{Model: "m"}, scores, Provenance{Benchmarks: []Benchmark{{Name: "b"}}}); err != nil {
		t.Fatal(err)
	}
	return made
}

// Whatever operation of putting an evaluation into its place breaks, in whatever way,
// the folder holds the one before or, when the next process looks, the new one: whole,
// with what others put beside it, and nothing half done is left.
func TestReplaceAtEveryCrash(t *testing.T) {
	files := [2][]string{{"runs/b.t.trec", "queries/b.t.jsonl.gz"}, {"runs/b.t.trec", "runs/b.u.trec", "asked/b.t.trec.gz"}}
	for _, mode := range breakfs.Modes() {
		for operation := 1; ; operation++ {
			dir := filepath.Join(t.TempDir(), "out")
			if err := At(dir).Replace(evaluationOf(t, At(dir), 0.25, files[0]...)); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "note.txt")
			write(t, dir, "runs/note.txt")
			made := evaluationOf(t, At(dir), 0.5, files[1]...)
			broken := breakfs.New(operation, mode, t.TempDir())
			broke := Folder{dir, broken}.Replace(made)

			is := Trial{Config: Config{Model: "m"}}
			if _, taken, err := At(dir).Earlier(&is); err != nil || taken == "" {
				t.Fatalf("operation %d, %v: %q, %v", operation, mode, taken, err)
			}
			var got Trial
			if err := errors.Join(At(dir).Read(&got), At(dir).Verify()); err != nil {
				t.Fatalf("operation %d, %v: %v", operation, mode, err)
			}
			whole := files[0]
			if *got.Results[0].Value == 0.5 {
				whole = files[1]
			} else if broke == nil {
				t.Errorf("operation %d, %v: replaced by nothing", operation, mode)
			}
			for _, name := range append([]string{"note.txt", "runs/note.txt"}, whole...) {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Errorf("operation %d, %v: %v", operation, mode, err)
				}
			}
			if _, err := At(dir).Beside(); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if atomicfile.IsTemporaryOf(e.Name(), madePrefix) || e.Name() == replaceFile {
					t.Errorf("operation %d, %v: %s is left", operation, mode, e.Name())
				}
			}
			if operation > broken.Count() {
				break
			}
		}
	}
}

// A file of others in the place of a new one is not written over.
func TestReplaceWritesOverNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "runs/b.t.trec")
	if err := At(dir).Replace(evaluationOf(t, At(dir), 0.5, "runs/b.t.trec")); err == nil || exists(filepath.Join(dir, DoneFile)) {
		t.Errorf("replaced, %v", err)
	}
}
