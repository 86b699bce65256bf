package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
)

// A probe is stored like an evaluation, with the values for every instruction; with the own
// instructions its numbers equal those of evaluate. The page shows the section, and verify
// makes it again from the folder and detects changes.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	at, plain, page := filepath.Join(dir, "probed"), filepath.Join(dir, "plain"), filepath.Join(dir, "page.html")
	out := verbOutput(t, "probe", "bm25", "mini-followir", "--task", "headline", "--out", at)
	for _, want := range []string{"bm25 on mini-followir: uses the instruction: ", "contradiction", "negation 0", "length 0", "all ", "audience "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "mini-followir", "--task", "headline", "--out", plain)
	if a, b := mustRead(t, filepath.Join(at, results.ScoresFile)), mustRead(t, filepath.Join(plain, results.ScoresFile)); !bytes.Equal(a, b) {
		t.Error("evaluate has other values")
	}
	before := mustRead(t, filepath.Join(at, results.ProbeFile))
	verbOutput(t, "probe", "--model", "bm25", "--data", "mini-followir", "--task", "headline", "--out", at)
	if !bytes.Equal(before, mustRead(t, filepath.Join(at, results.ProbeFile))) {
		t.Error("the same command gave other values")
	}
	verbOutput(t, "report", at, "--format", "html", "--out", page)
	if text := mustRead(t, page); !bytes.Contains(text, []byte("Effects of replaced instructions")) {
		t.Error("the page has no section on it")
	}
	if out := verbOutput(t, "verify", at); !strings.Contains(out, "1920 values scored again, 0 differences") { // 400 from the task, 1520 from the probe
		t.Errorf("verify: %s", out)
	}
	if out := verbOutput(t, "verify", page, "--runs", at); !strings.Contains(out, "0 differences") || strings.Contains(out, "not checked") {
		t.Errorf("verify: %s", out)
	}
	forged := bytes.Replace(mustRead(t, page), []byte("lower: another"), []byte("higher: another"), 1)
	if err := os.WriteFile(page, forged, 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "differences", "verify", page, "--runs", at)
	lines := bytes.Replace(before, []byte(`"overlap":0.`), []byte(`"overlap":0.0`), 1)
	if err := os.WriteFile(filepath.Join(at, results.ProbeFile), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "difference", "verify", at) // by its hash
	if err := results.At(at).Marker().Write(); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "1 difference", "verify", at)                                                                    // by its rankings
	verbFails(t, usage.ExitUsage, "probe", "probe", "bm25", "mini-followir", "--task", "headline", "--out", at, "--draw", "2") // other inputs
}

// Written instructions are used in addition to the frames, and change the folder's name.
func TestProbeVariants(t *testing.T) {
	data := writeFiles(t, without(map[string]string{
		"queries.jsonl":  `{"_id":"q1","text":"whale","instruction":"Only blue ones."}` + "\n" + `{"_id":"q2","text":"fox","instruction":"Only red ones."}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td1\t1\n",
	}))
	file := inFile(t, "variants.jsonl", `{"query":"q1","kind":"contradiction","instruction":"Only red ones, nothing blue."}`)
	at := filepath.Join(t.TempDir(), "probed")
	out := verbOutput(t, "probe", "bm25", data, "--measure", "RR", "--variants", file, "--out", at)
	if !strings.Contains(out, "uses") && !strings.Contains(out, "not tested") && !strings.Contains(out, "does not use") {
		t.Errorf("no verdict: %s", out)
	}
	lines := string(mustRead(t, filepath.Join(at, results.ProbeFile)))
	for _, want := range []string{"nothing blue", "Here is what I need: Only blue ones.", `"kind":"shuffled","asked":"q1~shuffled1","instruction":"Only red ones."`, `"measure":"RR"`} {
		if !strings.Contains(lines, want) {
			t.Errorf("%s is not in\n%s", want, lines)
		}
	}
	if settings := string(mustRead(t, filepath.Join(at, results.SettingsFile))); !strings.Contains(settings, "variants ") {
		t.Errorf("settings %s", settings)
	}
}

func TestProbeBadInput(t *testing.T) {
	data := writeFiles(t, tinyBEIR)
	bad := inFile(t, "variants.jsonl", `{"query":"q9","kind":"contradiction","instruction":"x"}`)
	for _, c := range []struct {
		name string
		code int
		want string
		args []string
	}{
		{"nothing", usage.ExitUsage, "needs a model and data", nil},
		{"two models", usage.ExitUsage, "once", []string{"bm25", "mini-followir", "--model", "random"}},
		{"no instructions", exitFailure, "no query of", []string{"bm25", data}},
		{"unknown query", exitFailure, `variants.jsonl:1: mini-mair has no query "q9"`, []string{"bm25", "mini-mair", "--variants", bad}},
		{"a measure of pairs", usage.ExitUsage, "no measure of single queries", []string{"bm25", "mini-followir", "--measure", "p-MRR"}},
		{"negative", usage.ExitUsage, "--queries -1", []string{"bm25", "mini-followir", "--queries", "-1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			verbFails(t, c.code, c.want, append([]string{"probe", "--out", filepath.Join(t.TempDir(), "out")}, c.args...)...)
		})
	}
}
