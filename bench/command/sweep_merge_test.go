package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/results"
)

// A merge copies a finished trial over an unfinished one: the latter's files, a checkpoint
// and a user's note, are moved aside and named, never removed.
func TestMergeKeepsWhatIsInTheWay(t *testing.T) {
	t.Chdir(t.TempDir())
	tinyData(t, ".")
	writeFile(t, "s.yaml", "name: s\nevaluate: [./data]\nbaselines: [bm25]\n")
	for _, runs := range []string{"part", "into"} {
		verbOutput(t, "sweep", "s.yaml", "--only", "model=bm25", "--runs", runs, "--workers", "1")
	}
	trials, err := filepath.Glob("into/s/trials/*")
	if err != nil || len(trials) != 1 {
		t.Fatal(trials, err)
	}
	if err := os.Remove(filepath.Join(trials[0], results.DoneFile)); err != nil {
		t.Fatal(err)
	}
	own := map[string]string{"notes.txt": "of its user", "checkpoint/state": "of many hours"}
	for name, text := range own {
		writeFile(t, filepath.Join(trials[0], name), text)
	}
	aside := filepath.Join("into/s/trials/.damaged", filepath.Base(trials[0])+"-1")
	for _, want := range []string{"1 trials copied, 0 already there", "0 trials copied, 1 already there"} {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"sweep", "--merge", "--runs", "into", "part/s"}, &stdout, &stderr); code != exitOK || !strings.Contains(stderr.String(), want) {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		if named := strings.Contains(stderr.String(), aside); named != strings.HasPrefix(want, "1") {
			t.Errorf("names %s: %v\n%s", aside, named, stderr.String())
		}
	}
	for name, text := range own {
		if got, err := os.ReadFile(filepath.Join(aside, name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := results.At(trials[0]).Marker().Verify(); err != nil {
		t.Error(err)
	}
}
