package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// A study replaces an earlier one of its file, and nothing else.
func TestKeepStudyReplacesItsOwn(t *testing.T) {
	t.Chdir(t.TempDir())
	keep := func(file string, v float64) error {
		return runs.KeepStudy(&results.Study{Kind: "agreement", Name: "mini", SHA256: "00", Values: []results.StudyValue{{Measure: "kappa", Value: &v}}}, file)
	}
	path := runs.StudyFile("agreement", "mini")
	ofMap, err := disk.EncodeSealed(map[string]string{"format": "infbench-study/1", "kind": "map"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, there string // existing content; "" leaves the previous one
		file        string
		want        string // part of the error
		misuse      bool
	}{
		{name: "nothing there", file: "a/picks.csv"},
		{name: "the same file, changed", file: "a/picks.csv"},
		{name: "another file", file: "a/others.csv", want: "--keep mini: runs/agreement/mini.json has the numbers of picks.csv; give another name, or remove it", misuse: true},
		{name: "no study", there: "my notes", file: "a/picks.csv", want: "the existing file is not a study"},
		{name: "a study of another kind", there: string(ofMap), file: "a/picks.csv", want: "another format (infbench-study/1 map)", misuse: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.there != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(c.there), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			before, _ := os.ReadFile(path)
			err := keep(c.file, float64(len(before)))
			after, _ := os.ReadFile(path)
			if c.want == "" {
				if err != nil || string(before) == string(after) {
					t.Errorf("%v; want it replaced", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, new(usage.Error)) != c.misuse || string(before) != string(after) {
				t.Errorf("%v, want %q and the file as it was", err, c.want)
			}
		})
	}
}
