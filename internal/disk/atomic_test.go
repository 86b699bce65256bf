package disk_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/disk"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.txt")
	if err := disk.WriteBytes(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := disk.Write(path, func(w io.Writer) error {
		io.WriteString(w, "half of two")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatalf("error = %v, want %v", err, broken)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "one" {
		t.Fatalf("after a failed write: %q, %v; want the former content", got, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Fatalf("folder holds %v, %v; want only b.txt", entries, err)
	}
}

// TestSHA256: the hash of "abc" is the example of FIPS 180-2, appendix B.1.
func TestSHA256(t *testing.T) {
	path := filepath.Join(t.TempDir(), "abc")
	if err := disk.WriteBytes(path, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	sum, size, err := disk.SHA256(path)
	if err != nil || size != 3 || sum != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("SHA256 = %s, %d, %v", sum, size, err)
	}
	if _, _, err := disk.SHA256(path + "-none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no file: %v", err)
	}
}

// TestWriteNew: an existing file stays, and no temporary file is left.
func TestWriteNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	first, second := disk.WriteNew(path, []byte("one")), disk.WriteNew(path, []byte("two"))
	if first != nil || !errors.Is(second, os.ErrExist) {
		t.Errorf("errors %v and %v, want none and that the file exists", first, second)
	}
	got, err := os.ReadFile(path)
	if entries, _ := os.ReadDir(filepath.Dir(path)); err != nil || string(got) != "one" || len(entries) != 1 {
		t.Errorf("%q, %v, %v", got, entries, err)
	}
}
