package command

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// An evaluation in bfloat16 is another system than in float32. It records how far its scores
// are from float32, and its page shows that, for sweeps and for single evaluations.
func TestEvaluateInBFloat16(t *testing.T) {
	dir := t.TempDir()
	model := goldenModel(t, "bert", nil)
	exact, narrow := filepath.Join(dir, "exact"), filepath.Join(dir, "narrow")
	evaluate := func(out string, more ...string) string {
		return verbOutput(t, append([]string{"evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--out", out}, more...)...)
	}
	if said := evaluate(exact); strings.Contains(said, "float32 on average") {
		t.Errorf("in float32:\n%s", said)
	}
	found := regexp.MustCompile(`scores in bf16 lie (\S+) from those in float32 on average, at most (\S+) \(\d+ pairs`).FindStringSubmatch(evaluate(narrow, "--precision", "bf16"))
	if found == nil || found[1] == "0" {
		t.Errorf("deviation %q", found)
	}
	verbFails(t, usage.ExitUsage, `precision "", now "bf16"`, "evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--out", exact, "--precision", "bf16")
	verbFails(t, usage.ExitUsage, `unknown precision "fp16"`, "evaluate", "--model", model, "--data", "mini-bright", "--precision", "fp16")
	page := filepath.Join(dir, "report.html")
	shown := verbOutput(t, "report", exact, narrow)
	if !strings.Contains(shown, "was evaluated in bf16. ") {
		t.Errorf("report:\n%s", shown)
	}
	verbOutput(t, "report", exact, narrow, "--format", "html", "--out", page)
	if out := verbOutput(t, "verify", page); !strings.Contains(out, "0 differ") {
		t.Errorf("verify:\n%s", out)
	}
}

func TestSweepInBFloat16(t *testing.T) {
	t.Chdir(t.TempDir())
	file := inFile(t, "narrow.yaml", `name: narrow
base: {precision: bf16}
exclude: [{precision: bf16}]
baselines: [untrained, bm25]
evaluate: [mini-bright]
`)
	verbOutput(t, "sweep", file)
	shown := verbOutput(t, "report", "runs/narrow")
	if n := strings.Count(shown, "was evaluated in bf16"); n != 1 {
		t.Errorf("%d systems in bf16, want untrained alone:\n%s", n, shown)
	}
}
