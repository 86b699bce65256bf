package command

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// TestSameBytes holds this program to another version of it: INFBENCH_REFERENCE
// names its binary, or the folder of its run of the demo. All that the demo trains,
// ranks and scores must be the same bytes; -v shows their hashes.
//
//	INFBENCH_REFERENCE=path/to/infbench go test ./bench/command -run TestSameBytes -v
func TestSameBytes(t *testing.T) {
	reference := os.Getenv("INFBENCH_REFERENCE")
	if reference == "" {
		t.Skip("INFBENCH_REFERENCE names no other version")
	}
	info, err := os.Stat(reference)
	if err != nil {
		t.Fatal(err)
	}
	demo := filepath.Join("..", "experiments", "demo.yaml")
	if !info.IsDir() {
		folder := t.TempDir()
		if out, err := exec.CommandContext(t.Context(), reference, "sweep", demo, "--runs", folder).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", reference, err, out)
		}
		reference = filepath.Join(folder, "demo")
	}
	folder := t.TempDir()
	verbOutput(t, "sweep", demo, "--runs", folder)
	want, got := gaveSums(t, reference), gaveSums(t, filepath.Join(folder, "demo"))
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Logf("%s  %s", want[name], name)
		if got[name] != want[name] {
			t.Errorf("%s is %q here", name, got[name])
		}
	}
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d files here, %d there", len(got), len(want))
	}
}

// gaveSums hashes what the trials of a run folder gave: weights, rankings, values
// and what was asked, by name.
func gaveSums(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	root := filepath.Join(dir, runs.TrialsDir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(name, string(filepath.Separator))
		if !slices.Contains([]string{results.ModelDir, results.RunsDir, results.ScoresFile, results.SettingsFile, results.CurveFile, results.TrialFile, "queries"}, parts[1]) {
			return nil
		}
		sums[name], _, err = disk.SHA256(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}
