package disk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestNothingIsFollowed: if others replace a file of ours, nothing outside is written and nothing
// waits.
func TestNothingIsFollowed(t *testing.T) {
	const precious = "precious"
	dir := t.TempDir()
	victim, folder := filepath.Join(dir, "victim"), filepath.Join(dir, "elsewhere")
	if err := os.WriteFile(victim, []byte(precious), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	type trap struct {
		name string
		set  func(run string) error
	}
	link := func(target, at string) func(string) error {
		return func(run string) error {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(run, at)), 0o755); err != nil {
				return err
			}
			return os.Symlink(target, filepath.Join(run, at))
		}
	}
	for _, tr := range []trap{
		{"a link to a file", link(victim, "logs/a")},
		{"a link to nothing", link(filepath.Join(dir, "new"), "logs/a")},
		{"a link to a neighbour", func(run string) error {
			if err := os.MkdirAll(filepath.Join(run, "logs"), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(run, "logs/b"), []byte(precious), 0o644); err != nil {
				return err
			}
			return os.Symlink("b", filepath.Join(run, "logs/a"))
		}},
		{"a folder that leads elsewhere", link(folder, "logs")},
		{"a pipe", func(run string) error {
			if err := os.MkdirAll(filepath.Join(run, "logs"), 0o755); err != nil {
				return err
			}
			return syscall.Mkfifo(filepath.Join(run, "logs/a"), 0o644)
		}},
		{"a folder of that name", func(run string) error { return os.MkdirAll(filepath.Join(run, "logs/a"), 0o755) }},
	} {
		run := t.TempDir()
		if err := tr.set(run); err != nil {
			t.Fatal(err)
		}
		if f, err := OpenInside(run, "logs/a", os.O_WRONLY|os.O_CREATE|os.O_APPEND); err == nil {
			t.Errorf("%s is opened: %v", tr.name, f.Name())
		}
		if text, err := os.ReadFile(filepath.Join(run, "logs/b")); err == nil && string(text) != precious {
			t.Errorf("%s: the neighbour is now %q", tr.name, text)
		}
		if tr.name == "a folder that leads elsewhere" {
			continue // the folder in the path of a lock is named by the user
		}
		at := filepath.Join(run, "logs/a")
		if f, err := (OS{}).Append(at, 0); err == nil {
			t.Errorf("%s is appended to: %v", tr.name, f)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if _, err := Lock(ctx, at); err == nil {
			t.Errorf("%s is locked", tr.name)
		}
		cancel()
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != precious {
		t.Errorf("the victim is now %q, %v", text, err)
	}
	for _, name := range []string{"new", "elsewhere/a"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// TestOpenInside: own files are created with their folders, and appended to.
func TestOpenInside(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		f, err := OpenInside(dir, "logs/deep/a", os.O_WRONLY|os.O_CREATE|os.O_APPEND)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("x")
		f.Close()
	}
	if text, err := os.ReadFile(filepath.Join(dir, "logs/deep/a")); err != nil || string(text) != "xx" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := OpenInside(dir, "logs/none", os.O_RDONLY); !os.IsNotExist(err) {
		t.Error(err)
	}
	if _, err := OpenInside(dir, "../x", os.O_WRONLY|os.O_CREATE); err == nil {
		t.Error("a path out of the folder is opened")
	}
	if _, err := OpenInside(filepath.Join(dir, "none"), "a", os.O_RDONLY); !os.IsNotExist(err) {
		t.Error(err, fs.ErrNotExist)
	}
}
