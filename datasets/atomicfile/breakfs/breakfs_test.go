package breakfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"infbench/datasets/atomicfile"
)

// The operations of WriteTo are: make the folder, create, write, sync, rename,
// sync of the folder. What is left of a replaced file and of a new one when each
// of them breaks follows from POSIX.
func TestModes(t *testing.T) {
	const old, fresh = "old", "fresh!"
	for _, c := range []struct {
		mode Mode
		at   int
		want string // of the file that is replaced
	}{
		{Refuse, 3, old}, {Refuse, 5, old},
		{Tear, 3, old}, {Tear, 5, old}, {Tear, 6, fresh},
		{Empty, 4, old}, {Empty, 6, fresh},
		{Forget, 5, old}, {Forget, 6, old}, // renamed, but the folder was not synced
		{Forget, 7, fresh},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		f := New(c.at, c.mode, t.TempDir())
		err := atomicfile.WriteBytesTo(f, path, []byte(fresh))
		if c.at == 7 { // all was done
			_, err = f.Create(filepath.Join(dir, "another"))
		}
		if err == nil || c.mode == Refuse != errors.Is(err, syscall.ENOSPC) || c.mode != Refuse != errors.Is(err, ErrDead) {
			t.Errorf("%v at %d: %v", c.mode, c.at, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.want {
			t.Errorf("%v at %d left %q, %v; want %q", c.mode, c.at, got, err, c.want)
		}
	}
}

// A torn write leaves half, content that was not synced is lost with the power.
func TestTornAndEmpty(t *testing.T) {
	for mode, want := range map[Mode]string{Tear: "fre", Empty: ""} {
		dir := t.TempDir()
		atomicfile.WriteBytesTo(New(3, mode, t.TempDir()), filepath.Join(dir, "f"), []byte("fresh!"))
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Name(), ".tmp-") {
			t.Fatalf("%v: %v, %v; want a temporary file", mode, entries, err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, entries[0].Name())); string(got) != want {
			t.Errorf("%v left %q, want %q", mode, got, want)
		}
	}
}
