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

// The operations of WriteTo in a folder are: create, write, sync, rename, sync of the
// folder. What is left of a replaced file and of a new one when each
// of them breaks follows from POSIX.
func TestModes(t *testing.T) {
	const old, fresh = "old", "fresh!"
	for _, c := range []struct {
		mode Mode
		at   int
		want string // of the file that is replaced
	}{
		{Refuse, 2, old}, {Refuse, 4, old},
		{Tear, 2, old}, {Tear, 4, old}, {Tear, 5, fresh},
		{Empty, 3, old}, {Empty, 5, fresh},
		{Forget, 4, old}, {Forget, 5, old}, // renamed, but the folder was not synced
		{Forget, 6, fresh},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
			t.Fatal(err)
		}
		f := New(c.at, c.mode, t.TempDir())
		err := atomicfile.WriteBytesTo(f, path, []byte(fresh))
		if c.at == 6 { // all was done
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
		atomicfile.WriteBytesTo(New(2, mode, t.TempDir()), filepath.Join(dir, "f"), []byte("fresh!"))
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || !strings.HasPrefix(entries[0].Name(), ".tmp-") {
			t.Fatalf("%v: %v, %v; want a temporary file", mode, entries, err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, entries[0].Name())); string(got) != want {
			t.Errorf("%v left %q, want %q", mode, got, want)
		}
	}
}

// crashes does operations on a new folder and lets the power fail; it returns what the
// folder then holds, folders with a slash and files with their content.
func crashes(t *testing.T, do func(f *FS, at func(name string) string)) string {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{os.Mkdir(at("old"), 0o755), os.WriteFile(at("old/f"), []byte("1"), 0o644), os.WriteFile(at("old/g"), []byte("2"), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f := New(0, Forget, t.TempDir())
	do(f, at)
	if err := f.PowerLoss(); err != nil {
		t.Fatal(err)
	}
	var left []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && e.IsDir() {
			left = append(left, name+"/")
		} else if err == nil {
			data, err := os.ReadFile(path)
			left = append(left, name+"="+string(data))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(strings.Join(left, " "), "./ ")
}

// What a power loss leaves, by POSIX's word: content after the sync of a file, names
// after the sync of their folder, and of all that only what has a name from the top on.
func TestPowerLoss(t *testing.T) {
	const before = "old/ old/f=1 old/g=2"
	write := func(t *testing.T, f *FS, path, content string) {
		t.Helper()
		if err := atomicfile.WriteBytesTo(f, path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		want string
		do   func(f *FS, at func(string) string)
	}{
		"a folder that is not synced into the one above, with a synced file": {before, func(f *FS, at func(string) string) {
			f.Mkdir(at("new"))
			write(t, f, at("new/f"), "3")
		}},
		"the middle one of three folders": {before + " x/", func(f *FS, at func(string) string) {
			f.Mkdir(at("x"))
			f.SyncDir(at("."))
			f.Mkdir(at("x/y"))
			f.Mkdir(at("x/y/z"))
			f.SyncDir(at("x/y"))
		}},
		"folders of MkdirAll": {before + " x/ x/y/ x/y/f=3", func(f *FS, at func(string) string) { write(t, f, at("x/y/f"), "3") }},
		"a folder renamed, neither place synced": {before, func(f *FS, at func(string) string) {
			f.Rename(at("old"), at("other"))
			write(t, f, at("other/h"), "3")
			f.Remove(at("other/h"))
			f.SyncDir(at("other"))
		}},
		"a folder filled beside its place": {before + " x/ x/f=3", func(f *FS, at func(string) string) {
			write(t, f, at("t/f"), "3")
			f.Rename(at("t"), at("x"))
			f.SyncDir(at("."))
		}},
		"a file created under a name that its folder lost": {before + " x/", func(f *FS, at func(string) string) {
			f.Mkdir(at("t"))
			file, _ := f.Create(at("t/f"))
			file.Sync()
			f.Rename(at("t"), at("x"))
			f.SyncDir(at("."))
			file.Close()
		}},
		"moved, the new folder synced and the old one not": {"new/ new/f=1 " + before, func(f *FS, at func(string) string) {
			atomicfile.MkdirAll(f, at("new"))
			f.Rename(at("old/f"), at("new/f"))
			f.SyncDir(at("new"))
		}},
		"moved, the old folder synced and the new one not": {"new/ old/ old/g=2", func(f *FS, at func(string) string) {
			atomicfile.MkdirAll(f, at("new"))
			f.Rename(at("old/f"), at("new/f"))
			f.SyncDir(at("old"))
		}},
		"removed":              {before, func(f *FS, at func(string) string) { f.Remove(at("old/f")); f.RemoveAll(at("old")) }},
		"removed for good":     {"old/ old/g=2", func(f *FS, at func(string) string) { f.Remove(at("old/f")); f.SyncDir(at("old")) }},
		"replaced by a rename": {"old/ old/f=1 old/g=2", func(f *FS, at func(string) string) { f.Rename(at("old/g"), at("old/f")) }},
		"a second name":        {before, func(f *FS, at func(string) string) { f.Link(at("old/f"), at("old/h")) }},
		"a second name of content that is not safe": {before + " x/ x/b=", func(f *FS, at func(string) string) {
			atomicfile.MkdirAll(f, at("x"))
			file, _ := f.Create(at("x/a"))
			file.Write([]byte("3"))
			f.Link(at("x/a"), at("x/b"))
			f.Remove(at("x/a"))
			f.SyncDir(at("x"))
			file.Close()
		}},
		"appended": {"old/ old/f=145 old/g=2", func(f *FS, at func(string) string) {
			file, _ := f.Append(at("old/f"), 1)
			file.Write([]byte("45"))
			file.Sync()
			file.Write([]byte("6"))
			file.Close()
		}},
		"cut off": {"old/ old/f= old/g=2", func(f *FS, at func(string) string) {
			file, _ := f.Append(at("old/f"), 0)
			file.Write([]byte("456"))
			file.Close()
		}},
		"a link": {before, func(f *FS, at func(string) string) { f.Symlink("old", at("link")) }},
	} {
		if got := crashes(t, c.do); got != c.want {
			t.Errorf("%s: left %s, want %s", name, got, c.want)
		}
	}
}

// What is refused is what the operating system refuses.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	f := New(0, Refuse, t.TempDir())
	for _, err := range []error{f.Mkdir(at("d")), f.Mkdir(at("e")), atomicfile.WriteBytesTo(f, at("d/f"), nil), atomicfile.WriteBytesTo(f, at("e/f"), nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	_, create := f.Create(at("d/f"))
	for what, c := range map[string]struct{ err, want error }{
		"make again":          {f.Mkdir(at("d")), os.ErrExist},
		"create again":        {create, os.ErrExist},
		"link over":           {f.Link(at("e/f"), at("d/f")), os.ErrExist},
		"remove what is full": {f.Remove(at("d")), syscall.ENOTEMPTY},
		"rename over full":    {f.Rename(at("d"), at("e")), syscall.ENOTEMPTY},
		"rename nothing":      {f.Rename(at("g"), at("h")), os.ErrNotExist},
		"remove nothing":      {f.Remove(at("g")), os.ErrNotExist},
		"sync nothing":        {f.SyncDir(at("g")), os.ErrNotExist},
		"remove all nothing":  {f.RemoveAll(at("g")), nil},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", what, c.err, c.want)
		}
	}
}

// The removal of a tree may stop in the middle.
func TestHalfRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := New(1, Tear, t.TempDir()).RemoveAll(dir); !errors.Is(err, ErrDead) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left %v, %v; want two of four files", left, err)
	}
}
