package runs_test

import (
	"os"
	"path/filepath"
	"testing"

	"infbench/runners/runs"
)

// A trial is moved aside each time it is damaged. Only an explicit command removes it.
func TestSetAside(t *testing.T) {
	f := runs.At(t.TempDir())
	damage := func(id, text string) {
		t.Helper()
		at := f.Trial(id)
		if err := os.MkdirAll(at.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at.Dir, "note"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Aside().Put(id); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(at.Dir); err == nil {
			t.Errorf("%s stays", at.Dir)
		}
	}
	damage("aa11", "one")
	damage("bb22", "other")
	damage("aa11", "two")
	all, err := f.Aside().Folders()
	if err != nil || len(all) != 3 {
		t.Fatalf("%d folders aside, %v, want 3", len(all), err)
	}
	for i, want := range []string{"one", "two", "other"} {
		if got, err := os.ReadFile(filepath.Join(all[i].Dir, "note")); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v, want %q", all[i].Dir, got, err, want)
		}
	}
	if removed, err := f.Aside().Discard([]string{"bb"}); err != nil || len(removed) != 1 || removed[0] != all[2].Dir {
		t.Errorf("removed %v, %v", removed, err)
	}
	if removed, err := f.Aside().Discard(nil); err != nil || len(removed) != 2 {
		t.Errorf("removed %v, %v", removed, err)
	}
}
