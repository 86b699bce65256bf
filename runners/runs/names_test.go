package runs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The run folders below runs/ are those of sweeps, evaluations and imports. Other content of
// runs/ is not one.
func TestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Names(); err == nil {
		t.Error("there is none, and no error")
	}
	for _, name := range []string{
		"demo/plan.json", "demo/trials/a/done.json", "demo/trials/a/scores.jsonl", "old/import.json",
		"evaluate/bm25-x-1/done.json", "evaluate/bm25-x-1/scores.jsonl", "probe/m-x/done.json", "probe/m-x/scores.jsonl",
		"evaluate/unfinished/scores.jsonl", "train/x-1/done.json", "chat/answers.jsonl", "diversity/x.json",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"runs/demo", "runs/evaluate/bm25-x-1", "runs/old", "runs/probe/m-x"}
	if found, err := Names(); err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v, want %q", found, err, want)
	}
	if found := Below("runs/e"); !slices.Equal(found, want[1:2]) {
		t.Errorf("below runs/e: %q", found)
	}
	if found := Below("elsewhere/"); len(found) > 0 {
		t.Errorf("below a folder that is not there: %q", found)
	}
}
