package command

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"infbench/internal/usage"
)

// TestPublish makes a site from a run folder, then from its report, which carries the same
// numbers; the same commit a second time changes nothing.
func TestPublish(t *testing.T) {
	dir := runOn(t, "random")
	report := filepath.Join(t.TempDir(), "report.html")
	verbOutput(t, "report", dir, "--format", "html", "--out", report)
	fromFolder, fromReport := filepath.Join(t.TempDir(), "site"), filepath.Join(t.TempDir(), "site")
	for range 2 {
		verbOutput(t, "publish", fromFolder, dir, "--commit", "c0ffee1", "--date", "2026-11-20")
	}
	verbOutput(t, "publish", fromReport, report, "--commit", "c0ffee1", "--date", "2026-11-20")
	for _, name := range []string{"index.html", "history.jsonl"} {
		a, b := mustRead(t, filepath.Join(fromFolder, name)), mustRead(t, filepath.Join(fromReport, name))
		if !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s of a run folder and of its report differ:\n%s\n%s", name, a, b)
		}
	}
	// A line without its sum is refused.
	name := filepath.Join(fromReport, "history.jsonl")
	text := mustRead(t, name)
	old := append(bytes.Clone(text[:bytes.Index(text, []byte(`,"sum":"`))]), []byte("}\n")...)
	rewrite(t, name, old)
	verbFails(t, exitFailure, "history.jsonl:1: the line has lost its sum", "publish", fromReport, report)
	rewrite(t, name, bytes.Replace(text, []byte("2026-11-20"), []byte("2026-11-21"), 1))
	verbFails(t, exitFailure, "history.jsonl:1: the line was changed", "publish", fromReport, report)
	verbFails(t, usage.ExitUsage, "names no commit", "publish", fromReport, report, "--commit", "a b")
	verbFails(t, usage.ExitUsage, "--before is for --commit", "publish", fromFolder, report, "--before", "c0ffee1")
	verbFails(t, exitFailure, "the history has no commit c0ffee3 to put c0ffee2 before", "publish", fromFolder, report, "--commit", "c0ffee2", "--before", "c0ffee3")
	verbFails(t, usage.ExitUsage, "--date is for --commit", "publish", fromReport, report, "--date", "2026-11-20")
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
