package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"infbench/internal/disk"
)

// TestOnlyRegularFilesAreRead: regular files, and links to them, can be read. A pipe without a
// writer and an endless device are refused at once.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("text"), 0o644), os.Symlink("file", at("link")),
		os.Symlink("/dev/zero", at("device")), syscall.Mkfifo(at("pipe"), 0o644), os.Mkdir(at("folder"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]error{"file": nil, "link": nil, "device": disk.ErrIrregular, "pipe": disk.ErrIrregular, "folder": disk.ErrIrregular, "none": fs.ErrNotExist} {
		data, err := disk.ReadFile(at(name))
		if !errors.Is(err, want) || want == nil && string(data) != "text" {
			t.Errorf("read %s: %q, %v; want %v", name, data, err, want)
		}
		if _, _, err := disk.SHA256(at(name)); !errors.Is(err, want) {
			t.Errorf("hash %s: %v, want %v", name, err, want)
		}
	}
}

// TestStreamEndsEarly: a file that ends before its size at opening, as on a faulty file server, is
// an error.
func TestStreamEndsEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := disk.Stream(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 3); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); !errors.Is(err, io.ErrUnexpectedEOF) || string(data) != "tex" {
		t.Errorf("read %q, %v", data, err)
	}
}

// TestExists: a path counts as absent only if that is certain.
func TestExists(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct{ there, known bool }{"file": {true, true}, "none": {false, true}, "file/none": {false, false}} {
		there, err := disk.Exists(filepath.Join(dir, name))
		if there != want.there || (err == nil) != want.known {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
}
