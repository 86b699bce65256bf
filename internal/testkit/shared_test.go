package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared follows $INFBENCH_SHARED and always returns an absolute path, also after the test changed
// its working directory.
func TestFolder(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for says, want := range map[string]string{
		"":          filepath.Join(here, "..", "..", "..", "shared"), // next to the project's folder
		"/data/ref": "/data/ref",
		"../ref/":   filepath.Join(here, "..", "ref"),
	} {
		t.Setenv("INFBENCH_SHARED", says)
		if got := Shared(); got != want {
			t.Errorf("INFBENCH_SHARED=%q: %s, want %s", says, got, want)
		}
	}
}

// SharedPath returns the path of a file that exists and skips the test of a missing one.
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
