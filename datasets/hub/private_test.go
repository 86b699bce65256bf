package hub

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPrivateFolders: a folder is private by its path, also for files in it and through links, but
// not by its registered name. The entry's sum covers the mark.
func TestPrivateFolders(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, "own")
	if err := os.MkdirAll(filepath.Join(own, "part"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(own, link); err != nil {
		t.Skip(err)
	}
	l := &Lock{Folders: []LockedFolder{{Name: "own", Path: own, Private: true}, {Name: "open", Path: filepath.Join(root, "open")}}}
	for dir, want := range map[string]bool{
		own: true, own + "/": true, filepath.Join(own, "part"): true, link: true, filepath.Join(link, "part"): true,
		root: false, filepath.Join(root, "own2"): false, filepath.Join(root, "open"): false, "own": false,
	} {
		if got := l.IsPrivate(dir); got != want {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
	path := filepath.Join(root, LockFile)
	if err := l.write(path); err != nil {
		t.Fatal(err)
	}
	if again, err := ReadLock(path); err != nil || !again.IsPrivate(own) {
		t.Errorf("read again: %v", err)
	}
	l.Folders[0].Private = false
	if err := l.checkSums(); err == nil {
		t.Error("privacy can be taken away unseen")
	}
}
