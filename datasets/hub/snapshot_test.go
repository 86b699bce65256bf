package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/atomicfile"
)

// Content that was swapped in the cache, under the same commit, is found by whoever opens
// the repository and named, whether the hub hashes it by SHA-256 or as git does.
func TestSwappedContentIsFound(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	dir, locked, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range locked {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		blob, err := filepath.EvalSymlinks(path)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(blob)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			continue
		}
		swapped := append([]byte{whole[0] ^ 1}, whole[1:]...)
		if err := os.WriteFile(blob, swapped, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Local(testRepo); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), f.Path) {
			t.Errorf("%s swapped: %v", f.Path, err)
		}
		if err := os.WriteFile(blob, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Local(testRepo); err != nil {
			t.Errorf("%s as it was: %v", f.Path, err)
		}
	}
}

// A link that another process is making, or that a killed one left, is no part of a
// snapshot: it may be gone before it is looked at.
func TestLinksBeingMadeAreNotChecked(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	dir, _, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	blob := filepath.Join(dir, "..", "..", "blobs", strings.Repeat("0", 64))
	if err := os.WriteFile(blob, []byte("of another hash"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "config.json")
	if err := os.Symlink(blob, atomicfile.Temporary(link)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Local(testRepo); err != nil {
		t.Error(err)
	}
}
