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

// write puts a file that does not belong to a trial into a folder.
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

// Foreign files do not affect the trial in a folder, whether they came before the trial was
// complete or after, or between its files.
func TestExtraFilesAreIgnored(t *testing.T) {
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
	if got, err := At(dir).Marker().ExtraFiles(); err != nil || !slices.Equal(got, want) {
		t.Errorf("extra %q, %v; want %q", got, err, want)
	}
	if _, err := At(dir).Reader().Run("b", "t"); err == nil {
		t.Error("a ranking was read that the trial has not written")
	}
	var got Trial
	if err := At(dir).Reader().Trial(&got); err != nil || len(got.Results) != len(scores) {
		t.Errorf("read %d values, %v", len(got.Results), err)
	}
}

// The speed of training does not affect results: its file may change.
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

// An unreadable file does not mean that the trial is damaged. A file of another type does.
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

// Short memory does not mean damage: a complete trial is not moved aside and computed again.
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

// An old checkpoint is removed, except for the user's files in it. A note in a model folder is
// not part of the trial.
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
	extra, err := at.Marker().ExtraFiles()
	if want := []string{"model/notes", "model/readme.txt"}; err != nil || !slices.Equal(extra, want) {
		t.Errorf("extra %v, %v, want %v", extra, err, want)
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
