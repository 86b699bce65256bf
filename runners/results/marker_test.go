package results

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"infbench/internal/memory"
)

// write puts a file of no trial into a folder.
func write(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a note"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What others leave in a folder changes nothing about the trial in there, whether it
// came before the trial was complete, after, or went in between.
func TestStraysAreIgnored(t *testing.T) {
	dir, scores := complete(t)
	before := []string{".DS_Store", "note.txt", "runs/.nfs0001", "more/of/it"}
	for _, name := range before {
		write(t, dir, name)
	}
	if err := At(dir).Marker().Write(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".scores.jsonl.swp")
	write(t, dir, "runs/b.t.trec.gz")
	if err := os.Remove(filepath.Join(dir, "note.txt")); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Marker().Verify(); err != nil {
		t.Fatal(err)
	}
	want := []string{".DS_Store", ".scores.jsonl.swp", "more", "runs"}
	if got, err := At(dir).Marker().Strays(); err != nil || !slices.Equal(got, want) {
		t.Errorf("strays %q, %v; want %q", got, err, want)
	}
	if _, err := At(dir).Reader().Run("b", "t"); err == nil {
		t.Error("a ranking was read that the trial has not written")
	}
	var got Trial
	if err := At(dir).Reader().Trial(&got); err != nil || len(got.Results) != len(scores) {
		t.Errorf("read %d values, %v", len(got.Results), err)
	}
}

// How fast a trial was trained is of no number: its file may change.
func TestSpeedDamagesNothing(t *testing.T) {
	dir, _ := complete(t)
	if err := At(dir).Writer().Speed([]Speed{{Step: 1, Seconds: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Marker().Write(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, SpeedFile)
	if err := At(dir).Marker().Verify(); err != nil {
		t.Error(err)
	}
}

// A folder, and folders in it, may have been moved to another disk and linked.
func TestLinkedFolders(t *testing.T) {
	elsewhere, _ := complete(t)
	write(t, elsewhere, ModelDir+"/config.json")
	moved := filepath.Join(t.TempDir(), "model")
	if err := At(elsewhere).Marker().Write(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(elsewhere, ModelDir), moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, filepath.Join(elsewhere, ModelDir)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "trial")
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	if err := At(dir).Marker().Verify(); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := At(dir).CopyTo(At(copied)); err != nil {
		t.Fatal(err)
	}
	if err := At(copied).Marker().Verify(); err != nil {
		t.Error(err)
	}
}

// A file that cannot be read says nothing of the trial; one in whose place is
// something else says that it is damaged.
func TestUnreadableIsNotDamaged(t *testing.T) {
	dir, _ := complete(t)
	path := filepath.Join(dir, ScoresFile)
	inPlace := func(make func() error) error {
		t.Helper()
		if err := errors.Join(os.RemoveAll(path), make()); err != nil {
			t.Fatal(err)
		}
		var got Trial
		if read := At(dir).Reader().Trial(&got); read == nil || errors.Is(read, ErrDamaged) != errors.Is(At(dir).Marker().Verify(), ErrDamaged) {
			t.Errorf("read says %v, verify %v", read, At(dir).Marker().Verify())
		}
		return At(dir).Marker().Verify()
	}
	// The kernel gives EIO for the first byte of a process's memory.
	if err := inPlace(func() error { return os.Symlink("/proc/self/mem", path) }); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("EIO: %v, want an error of reading", err)
	}
	if err := inPlace(func() error { return os.Mkdir(path, 0o755) }); !errors.Is(err, ErrDamaged) {
		t.Errorf("a folder: %v, want damage", err)
	}
	if err := inPlace(func() error { return os.Symlink("/dev/zero", path) }); !errors.Is(err, ErrDamaged) {
		t.Errorf("a device: %v, want damage", err)
	}
}

// Memory that is short says nothing of a trial: one that is whole is not damaged, to be
// moved aside and computed again.
func TestShortMemoryIsNotDamage(t *testing.T) {
	dir, _ := complete(t)
	at := At(dir)
	if err := errors.Join(at.Marker().Verify(), at.Halt().Set(Halt{Step: 1})); err != nil {
		t.Fatal(err)
	}
	before := debug.SetMemoryLimit(1)
	verify, read := at.Marker().Verify(), at.Reader().Trial(&Trial{})
	_, halt := at.Halt().Read()
	debug.SetMemoryLimit(before)
	for what, err := range map[string]error{"verify": verify, "read": read, "halt": halt} {
		if _, full := errors.AsType[*memory.Full](err); !full || errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want an error of memory", what, err)
		}
	}
	if err := at.Marker().Verify(); err != nil {
		t.Error(err)
	}
}

// A checkpoint that has served goes, but for what its user put beside it; a note in the
// folder of a model is no part of the trial.
func TestNotesBesideWhatTrainingLeft(t *testing.T) {
	dir, _ := complete(t)
	at := At(dir)
	for _, name := range []string{"state.json", "step-12.safetensors", "best-7.safetensors", "own.txt", "more/own.txt"} {
		write(t, at.Checkpoint(), name)
	}
	for _, name := range []string{"config.json", "vocab.txt", "readme.txt", "notes/1.md"} {
		write(t, at.Model(), name)
	}
	if err := errors.Join(at.Scratch().DropCheckpoint(), at.Marker().Write()); err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string]bool{"state.json": false, "step-12.safetensors": false, "best-7.safetensors": false, "own.txt": true, "more/own.txt": true} {
		if exists(filepath.Join(at.Checkpoint(), name)) != kept {
			t.Errorf("%s is there: %v", name, !kept)
		}
	}
	strays, err := at.Marker().Strays()
	if want := []string{"model/notes", "model/readme.txt"}; err != nil || !slices.Equal(strays, want) {
		t.Errorf("strays %v, %v, want %v", strays, err, want)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(at.Model(), "notes")), at.Marker().Verify()); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(at.Model(), "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	if err := at.Marker().Verify(); !errors.Is(err, ErrDamaged) {
		t.Errorf("without its vocabulary: %v", err)
	}
	if err := errors.Join(os.RemoveAll(at.Checkpoint()), at.Scratch().DropCheckpoint()); err != nil {
		t.Error(err)
	}
	write(t, at.Checkpoint(), "state.json")
	if err := at.Scratch().DropCheckpoint(); err != nil || exists(at.Checkpoint()) {
		t.Errorf("an empty folder stays: %v", err)
	}
}
