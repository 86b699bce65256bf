package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/metrics/trec"
	"infbench/runners/results"
)

// Files that others read from a finished trial by path, the model like any model and a ranking
// like any run file, are checked against the trial's marker. Files elsewhere, and files in the
// folder that do not belong to the trial, are not.
func TestHold(t *testing.T) {
	at := results.At(t.TempDir())
	put := func(path, text string) string {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	modules := put(filepath.Join(at.Model(), "modules.json"), "[]")
	pooling := put(filepath.Join(at.Model(), "1_Pooling", "config.json"), "{}")
	if err := at.Writer().Run("b", "t", trec.Run{"q": {{Doc: "d", Score: 1}, {Doc: "e", Score: 0.5}}}, "m"); err != nil {
		t.Fatal(err)
	}
	if err := at.Writer().Complete(results.Config{}, nil, results.Provenance{}); err != nil {
		t.Fatal(err)
	}
	ranking := filepath.Join(at.Dir, results.RunsDir, "b.t.trec.gz")
	stray := put(filepath.Join(at.Model(), "README.md"), "mine")
	foreign := put(filepath.Join(t.TempDir(), "model", "config.json"), "{}")
	put(filepath.Join(filepath.Dir(filepath.Dir(foreign)), results.DoneFile), `{"files": []}`)
	hold := func(want string, paths ...string) {
		t.Helper()
		for _, path := range paths {
			err := results.Hold(path)
			if want == "" && err != nil || want != "" && (!errors.Is(err, results.ErrDamaged) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, want it to name %q", path, err, want)
			}
		}
	}
	all := []string{at.Model(), at.Model() + "/", modules, pooling, ranking}
	hold("", append(all, stray, at.Dir, filepath.Dir(foreign), filepath.Join(at.Dir, "nowhere"))...)

	put(modules, "[ ")
	hold(modules, at.Model(), modules)
	hold("", pooling, ranking, stray)
	put(modules, "[]")
	if err := os.Remove(pooling); err != nil {
		t.Fatal(err)
	}
	hold("config.json is missing", at.Model(), ranking)
	put(pooling, "{}")
	put(ranking, strings.Replace(string(must(os.ReadFile(ranking))), "0.5", "0.7", 1))
	hold(ranking, ranking)
	if _, err := at.Reader().Run("b", "t"); !errors.Is(err, results.ErrDamaged) {
		t.Errorf("a ranking that was changed is read: %v", err)
	}
	marker := filepath.Join(at.Dir, results.DoneFile)
	put(marker, strings.Replace(string(must(os.ReadFile(marker))), "files", "Files", 1))
	hold(marker, all...)
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
