package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners/runs"
)

// runOn is the run folder of a model on one task.
func runOn(t *testing.T, model string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), model)
	verbOutput(t, "evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--out", dir)
	return dir
}

// TestVerify verifies a run folder and its report, then damages each in turn.
func TestVerify(t *testing.T) {
	dir := runOn(t, "random")
	report := filepath.Join(t.TempDir(), "report.html")
	verbOutput(t, "report", dir, "--format", "html", "--out", report)
	if out := verbOutput(t, "verify", dir, report, "--runs", dir); !strings.Contains(out, "40 values scored again, 0 differences") || strings.Contains(out, "not checked") {
		t.Error(out)
	}
	page, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, report, bytes.Replace(page, []byte(`"marker":"`), []byte(`"marker":"0`), 1))
	verbFails(t, exitFailure, "2 differences", "verify", report, "--runs", dir) // the seal, and the hash

	// A value that is changed in the folder, first alone, then with its hash.
	scores := filepath.Join(dir, "scores.jsonl")
	text, err := os.ReadFile(scores)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte(`"value":`)) + len(`"value":`)
	rewrite(t, scores, append(append(bytes.Clone(text[:at]), []byte("0.12")...), text[at+bytes.IndexByte(text[at:], '}'):]...))
	verbFails(t, exitFailure, "1 difference", "verify", dir)
	rehash(t, dir, "scores.jsonl")
	verbFails(t, exitFailure, "1 difference", "verify", dir)
}

func rewrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// rehash writes the hash of a changed file into the completion marker, as
// somebody who wants to be believed would.
func rehash(t *testing.T, dir, name string) {
	t.Helper()
	var marker struct {
		Files map[string]string `json:"files"`
	}
	path := filepath.Join(dir, "done.json")
	err := disk.ReadSealed(path, &marker)
	if err != nil {
		t.Fatal(err)
	}
	if marker.Files[name], _, err = disk.SHA256(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteSealed(disk.OS{}, path, marker); err != nil {
		t.Fatal(err)
	}
}

// TestExportVerb writes the rankings and the values of a run folder.
func TestExportVerb(t *testing.T) {
	dir, out := runOn(t, "constant"), t.TempDir()
	verbOutput(t, "export", "--format", "trec", "--out", out, dir)
	want, _, err := format.OpenRun(filepath.Join(dir, "runs", "mini-bright.nature.trec.gz"), trec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := format.OpenRun(filepath.Join(out, "constant", "mini-bright.nature.trec"), trec.Options{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the exported ranking is not the saved one: %v", err)
	}
	var object struct {
		Format string
		Trials []struct{ Scores []struct{ Values []struct{} } }
	}
	if err := json.Unmarshal([]byte(verbOutput(t, "export", "--format", "json", dir)), &object); err != nil || len(object.Trials[0].Scores[0].Values) != 40 {
		t.Errorf("%v %+v", err, object)
	}
	verbFails(t, usage.ExitUsage, `did you mean "mteb"?`, "export", "--format", "mted", dir)
	verbFails(t, usage.ExitUsage, "files: name a folder with --out", "export", "--format", "mteb", dir)
}

// TestDiffVerb compares a run with itself and with another.
func TestDiffVerb(t *testing.T) {
	random, constant := runOn(t, "random"), runOn(t, "constant")
	if out := verbOutput(t, "diff", random, random); !strings.Contains(out, "nothing that is recorded") || !strings.Contains(out, "0 of 1 number that both have moved") {
		t.Error(out)
	}
	out := verbOutput(t, "diff", random, constant)
	for _, want := range []string{`1. model and training: model: "constant", before "random"`, "same: data revision, qrels, instruction text", "nDCG@10 on mini-bright/nature"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A page is made again with its experiments in its own order, whatever the order of
// their folders: of more trials than a page shows single queries of it takes the first.
func TestVerifyKeepsThePagesOrder(t *testing.T) {
	dir := t.TempDir()
	for name, model := range map[string]string{"z": "bm25", "a": "random"} {
		verbOutput(t, "evaluate", "--model", model, "--data", "mini-bright", "--out", filepath.Join(dir, "runs", name))
	}
	page := filepath.Join(dir, "report.html")
	verbOutput(t, "report", filepath.Join(dir, "runs", "z"), filepath.Join(dir, "runs", "a"), "--format", "html", "--out", page)
	exps, err := runs.LoadAll([]string{filepath.Join(dir, "runs", "a"), filepath.Join(dir, "runs", "z")})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := shownOn(mustRead(t, page), exps)
	if err != nil || len(kept) != 2 || filepath.Base(kept[0].Dir) != "z" {
		t.Errorf("%d experiments, the first in %s, %v; want that of z", len(kept), kept[0].Dir, err)
	}
}

// The folder of all runs stands for what evaluations and other kinds keep in it, too.
func TestVerifyFindsEvaluations(t *testing.T) {
	t.Chdir(t.TempDir())
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "mini-bright")
	verbOutput(t, "evaluate", "--model", "random", "--data", "mini-bright", "--out", "runs/random")
	folders, err := filepath.Glob("runs/evaluate/*")
	if err != nil || len(folders) != 1 {
		t.Fatalf("evaluations: %q, %v", folders, err)
	}
	verbOutput(t, "report", "runs/random", folders[0], "--format", "html", "--out", "report.html")
	if out := verbOutput(t, "verify", "report.html", "--runs", "runs"); !strings.Contains(out, "0 differences") {
		t.Errorf("verify:\n%s", out)
	}
}
