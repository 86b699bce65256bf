package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// TestSwappedContentIsFound: opening a repository finds content that was swapped in the cache under
// the same commit, and names it, for SHA-256 and git hashes.
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

// TestLinksBeingMadeAreNotChecked: a link that another process is making, or that a killed one
// left, is not part of a snapshot: it may be gone before it is checked.
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
	if err := os.Symlink(blob, disk.Temporary(link)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Local(testRepo); err != nil {
		t.Error(err)
	}
}

// TestLockedContentIsFound: locked files are compared with their hashes even if the link was
// replaced by a file, as editors do, or by a link to other content of the cache whose name is
// right. Fetching again repairs both.
func TestLockedContentIsFound(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	dir, locked, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	_, commit, err := c.Find(testRepo)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	err = ChangeLock(t.Context(), LockFile, func(l *Lock) error {
		l.Put(&Snapshot{Repo: testRepo, Commit: commit}, locked)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	swaps := map[string]func(path, other string) error{
		"a file of as many bytes": func(path, _ string) error {
			text, err := os.ReadFile(path)
			if err != nil || len(text) == 0 {
				return err
			}
			text[0] ^= 1
			return errors.Join(os.Remove(path), os.WriteFile(path, text, 0o644))
		},
		"a longer file": func(path, _ string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, append(text, '\n'), 0o644))
		},
		"a folder": func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
		"other content": func(path, other string) error {
			target, err := filepath.EvalSymlinks(other)
			if err == nil {
				target, err = filepath.Rel(filepath.Dir(path), target)
			}
			return errors.Join(err, os.Remove(path), os.Symlink(target, path))
		},
	}
	for i, f := range locked {
		other := locked[(i+1)%len(locked)]
		if f.Size == 0 || f.SHA256 == other.SHA256 {
			continue
		}
		for what, swap := range swaps {
			path := filepath.Join(dir, filepath.FromSlash(f.Path))
			if err := swap(path, filepath.Join(dir, filepath.FromSlash(other.Path))); err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.Local(testRepo); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), f.Path) {
				t.Errorf("%s in the place of %s: %v", what, f.Path, err)
			}
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				os.Remove(path)
			}
			if _, _, err := fetchAll(c); err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.Local(testRepo); err != nil {
				t.Errorf("%s fetched again: %v", f.Path, err)
			}
		}
	}
}

// TestLockOfOthers: a lock may list more than was fetched into this cache, and another commit than
// the requested one: neither is damage.
func TestLockOfOthers(t *testing.T) {
	h := newFakeHub(t, testFiles)
	c, _ := h.client(t)
	_, locked, err := fetchAll(c)
	if err != nil {
		t.Fatal(err)
	}
	_, commit, err := c.Find(testRepo)
	if err != nil {
		t.Fatal(err)
	}
	more := append([]LockedFile{{Path: "of/others.txt", Size: 1, SHA256: strings.Repeat("a", 64)}}, locked...)
	changed := []LockedFile{{Path: locked[0].Path, Size: 1, SHA256: strings.Repeat("a", 64)}}
	for _, entry := range []struct {
		commit string
		files  []LockedFile
	}{{commit, more}, {strings.Repeat("b", 40), changed}} {
		t.Chdir(t.TempDir())
		err := ChangeLock(t.Context(), LockFile, func(l *Lock) error {
			l.Put(&Snapshot{Repo: testRepo, Commit: entry.commit}, entry.files)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Local(testRepo); err != nil {
			t.Errorf("commit %s: %v", entry.commit, err)
		}
	}
}
