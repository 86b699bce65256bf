package datasets

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsPrivate(t *testing.T) {
	for repo, want := range map[string]bool{
		"mteb/BrowseCompPlusRetrieval": true, "MTEB/browsecompplusretrieval": true,
		"mteb/BrowseCompPlusRetrieval2": false, "BrowseCompPlusRetrieval": false, "mteb/scifact": false, "": false,
	} {
		if got := IsPrivateRepository(repo); got != want {
			t.Errorf("%q: %v, want %v", repo, got, want)
		}
	}
}

// TestIsPrivateFolder: a folder is private by its name in the cache, by that of a download, and
// through links; its siblings are not.
func TestIsPrivateFolder(t *testing.T) {
	root := t.TempDir()
	snapshot := filepath.Join(root, "hub", "datasets--mteb--BrowseCompPlusRetrieval", "snapshots", "16df5da3ad2796a72cdff1704764b90383b7c209")
	if err := os.MkdirAll(snapshot, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "mine")
	if err := os.Symlink(snapshot, link); err != nil {
		t.Skip(err)
	}
	for dir, want := range map[string]bool{
		snapshot: true, link: true, filepath.Dir(snapshot): true,
		filepath.Join(snapshot, "gold_only-corpus"):            true,
		filepath.Join(root, "mteb", "browsecompplusRetrieval"): true, // missing: opening reports it
		filepath.Join(root, "hub"):                             false,
		filepath.Join(root, "hub", "datasets--mteb--scifact"):  false,
		filepath.Join(root, "BrowseCompPlusRetrieval-notes"):   false,
	} {
		if got := IsPrivateFolder(dir); got != want {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
}
