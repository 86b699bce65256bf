package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Where the data lie, by what $INFBENCH_SHARED says: always a whole path, also once the
// test went to another folder.
func TestFolder(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for says, want := range map[string]string{
		"":          filepath.Join(here, "..", "..", "..", "shared"), // beside the project's folder
		"/data/ref": "/data/ref",
		"../ref/":   filepath.Join(here, "..", "ref"),
	} {
		t.Setenv("INFBENCH_SHARED", says)
		if got := Shared(); got != want {
			t.Errorf("INFBENCH_SHARED=%q: %s, want %s", says, got, want)
		}
	}
}

// A file that is there has its path, and a test of one that is not is skipped.
func TestPath(t *testing.T) {
	t.Setenv("INFBENCH_SHARED", t.TempDir())
	if err := os.WriteFile(filepath.Join(Shared(), "a.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := SharedPath(t, "a.json"); got != filepath.Join(Shared(), "a.json") {
		t.Error(got)
	}
	absent := false
	t.Run("absent", func(t *testing.T) {
		defer func() { absent = t.Skipped() }()
		SharedPath(t, "goldens", "b.json")
		t.Error("goes on without the file")
	})
	if !absent {
		t.Error("not skipped")
	}
}
