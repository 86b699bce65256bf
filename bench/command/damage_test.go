package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
)

// flips lists the bytes of a file in which to flip a bit: all of a small file, some of a
// large one.
func flips(size int) []int {
	var at []int
	for i := 0; i < size; i += max(1, size/flipsAtMost) {
		at = append(at, i)
	}
	return at
}

// flipsAtMost limits the flips in a file, since each costs hashing the folder.
const flipsAtMost = 400

// For any flipped bit in any file of a finished trial that trained, the sweep detects the
// damage, names the file and runs that trial again, to the same bytes.
func TestEveryFlippedBitOfATrialIsFound(t *testing.T) {
	testkit.Deep(t)
	plan := crashPlan(t)
	dir := filepath.Join(t.TempDir(), "crash")
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
		t.Fatal(err, said)
	}
	want := crashOutcome(t, dir)
	folder := runs.At(dir).Trial(plan.Trials[0].ID).Dir
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		seen[filepath.Base(path)] = true
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range flips(len(whole)) {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1 << (i % 8)
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			err := results.At(folder).Marker().Verify()
			if name := filepath.Base(path); (name == results.SpeedFile || name == results.CardFile) && err == nil {
				continue // no number depends on it; a model card may be edited
			}
			if !errors.Is(err, results.ErrDamaged) || !strings.Contains(err.Error(), folder) {
				t.Fatalf("%s, byte %d: %v, want it found and named", path, i, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{results.DoneFile, results.ScoresFile, results.CurveFile, results.SpeedFile, results.TrialFile, results.SettingsFile, results.ProvenanceFile, "model.safetensors"} {
		if !seen[name] {
			t.Errorf("the trial has no %s", name)
		}
	}

	t.Run("and redone", func(t *testing.T) {
		path := filepath.Join(folder, results.TrialFile)
		if err := os.WriteFile(path, []byte("cell: {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		said, err := crashSweep(t, dir, plan, disk.OS{})
		if err != nil || !strings.Contains(said, path+" was changed; it is moved aside, and the trial runs again") {
			t.Errorf("%v: %s", err, said)
		}
		if !maps.Equal(crashOutcome(t, dir), want) {
			t.Error("rankings, scores or report differ")
		}
	})
}

// Paid results are never deleted: files of others in a finished trial are left alone with the
// trial, a failing disk costs nothing, and a damaged trial is moved aside, counted, and
// removed only on request.
func TestNothingPaidForIsDeleted(t *testing.T) {
	plan := crashPlan(t)
	dir := filepath.Join(t.TempDir(), "crash")
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
		t.Fatal(err, said)
	}
	at := runs.At(dir).Trial(plan.Trials[0].ID)
	marker := filepath.Join(at.Dir, results.DoneFile)
	before, err := os.Stat(marker)
	if err != nil {
		t.Fatal(err)
	}
	untouched := func(what string) {
		t.Helper()
		if after, err := os.Stat(marker); err != nil || !os.SameFile(before, after) {
			t.Fatalf("%s: the trial was computed again: %v", what, err)
		}
	}
	for _, stray := range []string{".DS_Store", ".nfs000000012", "notes.txt", "runs/.run.swp", "mine/file"} {
		writeFile(t, filepath.Join(at.Dir, stray), "mine")
	}
	speed := filepath.Join(at.Dir, results.SpeedFile)
	rewrite(t, speed, append(mustRead(t, speed), ' '))
	said, err := crashSweep(t, dir, plan, disk.OS{})
	if err != nil || !strings.Contains(said, "5 files or folders in folders of finished trials that no trial wrote, left alone: "+filepath.Join(at.Dir, ".DS_Store")) {
		t.Errorf("%v, said %q", err, said)
	}
	untouched("strays")

	scores := filepath.Join(at.Dir, results.ScoresFile)
	whole := mustRead(t, scores)
	if err := errors.Join(os.Remove(scores), os.Symlink("/proc/self/mem", scores)); err != nil { // reading it gives EIO
		t.Fatal(err)
	}
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err == nil || !strings.Contains(err.Error(), "input/output error") {
		t.Errorf("a disk that fails: %v, %s", err, said)
	}
	if err := trial.Run(t.Context(), runs.At(dir), &plan.Trials[0], trial.Usual(&plan.Trials[0].Cell, func(engine.Progress) {})); err == nil {
		t.Error("a trial overwrote an unreadable one")
	}
	untouched("a disk that fails")

	if err := os.Remove(scores); err != nil {
		t.Fatal(err)
	}
	rewrite(t, scores, append(whole, '\n'))
	if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
		t.Fatal(err, said)
	}
	aside := filepath.Join(dir, runs.TrialsDir, ".damaged", plan.Trials[0].ID+"-1")
	if got := mustRead(t, filepath.Join(aside, "notes.txt")); string(got) != "mine" {
		t.Errorf("moved aside: %q", got)
	}
	if out := verbOutput(t, "status", dir); !strings.Contains(out, "1 damaged moved aside") {
		t.Errorf("status: %s", out)
	}
	if out := verbOutput(t, "retry", "--discard", dir, plan.Trials[0].ID[:4]); !strings.Contains(out, aside) {
		t.Errorf("discard: %s", out)
	}
	if out := verbOutput(t, "retry", "--discard", dir); !strings.Contains(out, "no damaged trial") {
		t.Errorf("discard again: %s", out)
	}
}

// The error for a folder that cannot be written to names it, and no result is left; once it
// is writable, the sweep goes on.
func TestReadOnlyFolder(t *testing.T) {
	plan := crashPlan(t)
	for _, below := range []string{".", runs.TrialsDir} {
		dir := filepath.Join(t.TempDir(), "crash")
		said, err := crashSweep(t, dir, plan, readOnly{disk.OS{}, filepath.Join(dir, below)})
		if said += fmt.Sprint(err); err == nil || !strings.Contains(said, "permission denied") || !strings.Contains(said, filepath.Join(dir, below)) {
			t.Errorf("below %s: %s", below, said)
		}
		for _, trial := range plan.Trials {
			if err := runs.At(dir).Trial(trial.ID).Marker().Verify(); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("below %s: %v", below, err)
			}
		}
		if said, err := crashSweep(t, dir, plan, disk.OS{}); err != nil {
			t.Errorf("below %s, then writable: %v, %s", below, err, said)
		}
	}
}

// readOnly is a file system that refuses to write below a folder. File modes do not stop a
// privileged user, as which tests often run.
type readOnly struct {
	disk.FS
	below string
}

func (r readOnly) Mkdir(dir string) error {
	if err := r.refuse("mkdir", dir); err != nil {
		return err
	}
	return r.FS.Mkdir(dir)
}

func (r readOnly) Create(path string) (disk.File, error) {
	if err := r.refuse("open", path); err != nil {
		return nil, err
	}
	return r.FS.Create(path)
}

func (r readOnly) refuse(what, path string) error {
	if path == r.below || strings.HasPrefix(path, r.below+string(filepath.Separator)) {
		return &fs.PathError{Op: what, Path: path, Err: fs.ErrPermission}
	}
	return nil
}
