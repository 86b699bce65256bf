package hub

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestLockFindsEveryFlippedByte(t *testing.T) {
	h := newFakeHub(t, map[string]string{"a.jsonl": "{}\n", "b.parquet": "PAR1...PAR1"})
	c, _ := h.client(t)
	s, err := c.Resolve(t.Context(), testRepo)
	if err != nil {
		t.Fatal(err)
	}
	dir, files, err := c.Fetch(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), LockFile)
	var lock Lock
	lock.Put(s, files)
	if err := lock.write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadLock(path)
	if err != nil {
		t.Fatal(err)
	}
	repo, ok := read.Find(testRepo)
	if !ok || repo.Commit != testCommit || len(repo.Files) != 2 {
		t.Fatalf("read back %+v", read)
	}
	if err := repo.Verify(c.Cache); err != nil {
		t.Fatalf("untouched files: %v", err)
	}
	blob, err := filepath.EvalSymlinks(filepath.Join(dir, "b.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1
		if err := os.WriteFile(blob, flipped, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := repo.Verify(c.Cache); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "b.parquet") {
			t.Fatalf("byte %d flipped: error = %v", i, err)
		}
	}
	// Fetching again replaces damaged files.
	if _, _, err := c.Fetch(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if err := repo.Verify(c.Cache); err != nil {
		t.Errorf("after fetching again: %v", err)
	}
}

func TestReadLock(t *testing.T) {
	locked := func(r LockedRepo) string {
		path := filepath.Join(t.TempDir(), LockFile)
		if err := (&Lock{Repos: []LockedRepo{r}}).write(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct{ name, text, want string }{
		{"cut short", `{"repositories": [`, "read lock"},
		{"unknown key", `{"repos": []}`, "repos"},
		{"hostile file", locked(LockedRepo{Kind: Dataset, ID: "a/b", Revision: "main", Commit: testCommit, Files: []LockedFile{{"../x", 1, ""}}}), "unsafe"},
		{"no commit", locked(LockedRepo{Kind: Dataset, ID: "a/b", Revision: "main", Commit: "main"}), "no commit"},
	} {
		path := filepath.Join(t.TempDir(), LockFile)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLock(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want %q", c.name, err, c.want)
		}
	}
	if l, err := ReadLock(filepath.Join(t.TempDir(), "none")); err != nil || len(l.Repos) != 0 {
		t.Errorf("a missing lock: %+v, %v", l, err)
	}
}

// TestLockFolderNamesWhatWasAdded: a file added next to those of a registered folder might be read
// instead of one of them.
func TestLockFolderNamesWhatWasAdded(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "queries")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "corpus.jsonl.gz"), "x")
	write(elsewhere, "y")
	if err := os.Symlink(elsewhere, filepath.Join(dir, "queries.jsonl")); err != nil {
		t.Fatal(err)
	}
	f, err := LockFolder("mine", dir)
	if err != nil || len(f.Files) != 2 {
		t.Fatalf("%+v, %v; want a file and a link", f, err)
	}
	write(filepath.Join(dir, "README.md"), "a card")
	write(filepath.Join(dir, "runs", "bm25.jsonl"), "of another folder")
	if err := f.Verify(); err != nil {
		t.Errorf("files that nothing reads: %v", err)
	}
	write(filepath.Join(dir, "corpus.jsonl"), "z")
	if err := f.Verify(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "corpus.jsonl was added") {
		t.Errorf("a corpus beside: %v", err)
	}
	write(elsewhere, "Y")
	if err := f.Verify(); err == nil || !strings.Contains(err.Error(), "queries.jsonl has") {
		t.Errorf("a link to what changed: %v", err)
	}
}

// TestLockIsHeldToItsSums: a lock with any changed byte is either rejected with its name or has the
// same meaning (a space, the case of a JSON key). A lock without sums is rejected.
func TestLockIsHeldToItsSums(t *testing.T) {
	path := filepath.Join(t.TempDir(), LockFile)
	lock := Lock{
		Repos:   []LockedRepo{{Kind: Dataset, ID: "org/name", Commit: strings.Repeat("a", 40), Files: []LockedFile{{"f.jsonl", 3, strings.Repeat("b", 64)}}}},
		Folders: []LockedFolder{{Name: "mine", Path: "data/mine", Files: []LockedFile{{"f.jsonl", 3, strings.Repeat("c", 64)}}}},
	}
	if err := lock.write(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadLock(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for _, bit := range []byte{1, 0x20} {
			flipped := append([]byte(nil), whole...)
			flipped[i] ^= bit
			if err := os.WriteFile(path, flipped, 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := ReadLock(path)
			if err != nil && !strings.Contains(err.Error(), LockFile) || err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("byte %d flipped by %#x: %v, %+v", i, bit, err, got)
			}
		}
	}
	if err := os.WriteFile(path, regexp.MustCompile(`,\s*"sum": "[0-9a-f]+"`).ReplaceAll(whole, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLock(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("without sums: %v", err)
	}
}
