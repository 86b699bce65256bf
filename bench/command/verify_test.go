package command

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/reports"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// runOn makes the run folder of a model on one task.
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
	if out := verbOutput(t, "verify", dir, report, "--runs", dir); !strings.Contains(out, "40 values scored again, 0 differences") || strings.Contains(out, "not checked") || strings.Count(out, ": SHA-256 of all values: ") != 2 {
		t.Error(out)
	}
	page, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, report, bytes.Replace(page, []byte(`"marker":"`), []byte(`"marker":"0`), 1))
	verbFails(t, exitFailure, "2 differences", "verify", report, "--runs", dir) // the seal, and the hash

	// A value in the folder is changed, first alone, then with its hash.
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

// rehash updates the hash of a changed file in the completion marker, as a forger would.
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
	if out := verbOutput(t, "diff", random, random); !strings.Contains(out, "no recorded difference") || !strings.Contains(out, "0 of 1 number in both sets moved") {
		t.Error(out)
	}
	out := verbOutput(t, "diff", random, constant)
	for _, want := range []string{`1. model and training: model: "constant", before "random"`, "same: data revision, qrels, instruction text", "nDCG@10 on mini-bright/nature"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A page is made again with its experiments in its own order, whatever the order of their
// folders: if there are more trials than a page shows single queries of, the first ones are
// shown.
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
	d, err := reports.DataOf(mustRead(t, page))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := shownOn(d, exps)
	if err != nil || len(kept) != 2 || filepath.Base(kept[0].Dir) != "z" {
		t.Errorf("%d experiments, the first in %s, %v; want that of z", len(kept), kept[0].Dir, err)
	}
}

// The folder of all runs includes evaluations and other kinds.
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

// TestVerifyTellsNumbersApart: exit code 4 if nothing differs, but a number on the page was
// not computed again.
func TestVerifyTellsNumbersApart(t *testing.T) {
	t.Chdir(t.TempDir())
	verbOutput(t, "evaluate", "--model", "random", "--data", "mini-bright", "--task", "nature", "--out", "runs/random")
	rewrite(t, "picks.jsonl", []byte("{}\n"))
	kappa := .5
	study := &results.Study{Kind: "agreement", Name: "picks", Level: .95, Values: []results.StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &kappa}}}
	if err := os.MkdirAll(filepath.Join("runs", "agreement"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := runs.KeepStudy(study, "picks.jsonl"); err != nil {
		t.Fatal(err)
	}
	verbOutput(t, "report", "runs/random", "--view", "agreement", "--format", "html", "--out", "page.html")
	verbFails(t, usage.ExitUnchecked, "no difference, but some numbers", "verify", "page.html")
	wantIn(t, verbOutput(t, "verify", "page.html", "--runs", "runs"), "0 differences", `given by the author: view: "agreement"`, "SHA-256 of all values: ")
	kappa = .6
	if err := runs.KeepStudy(study, "picks.jsonl"); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "difference", "verify", "page.html", "--runs", "runs")
	if err := os.RemoveAll(filepath.Join("runs", "agreement")); err != nil {
		t.Fatal(err)
	}
	verbFails(t, usage.ExitUnchecked, "no difference, but some numbers", "verify", "page.html", "--runs", "runs")
}

// TestVerifySite verifies a site, then forges a part of it.
func TestVerifySite(t *testing.T) {
	smallRuns(t)
	verbOutput(t, "publish", "site", "runs/okapi", "--commit", "c0ffee1")
	verbOutput(t, "publish", "site", "runs/okapi", "--commit", "c0ffee2", "--date", "2026-11-20")
	wantIn(t, verbOutput(t, "verify", "site"), "0 differences", "site: not checked: The command that repeats each trial, on the pages of models: needs the run folders (--runs)")
	if out := verbOutput(t, "verify", "site/index.html", "--runs", "runs"); strings.Contains(out, "not checked: The command") {
		t.Error(out)
	}
	index := mustRead(t, "site/index.html")
	rewrite(t, "site/index.html", bytes.Replace(index, []byte("<h1>"), []byte("<h1>audited "), 1))
	verbFails(t, exitFailure, "1 difference", "verify", "site")
	rewrite(t, "site/index.html", index)
	page := mustRead(t, "site/report.html")
	rewrite(t, "site/report.html", bytes.Replace(page, []byte(`"marker":"`), []byte(`"marker":"0`), 1))
	verbFails(t, exitFailure, "1 difference", "verify", "site")
}

// TestVerifyCountsAgain: counts of test texts in training data are counted again if the data
// are on this machine, else listed; a valid seal does not make a count true.
func TestVerifyCountsAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	var docs, queries, train strings.Builder
	qrels := "query-id\tcorpus-id\tscore\n"
	for i := range 12 {
		text := fmt.Sprintf("apple river stone cloud ember violet harbor maple copper lantern orchid falcon meadow quartz number%d", i)
		fmt.Fprintf(&docs, "{\"_id\": \"d%d\", \"title\": \"\", \"text\": \"a document about %s\"}\n", i, text)
		fmt.Fprintf(&queries, "{\"_id\": \"q%d\", \"text\": %q}\n", i, text)
		fmt.Fprintf(&train, "{\"query\": %q, \"positive\": \"a document about %s\"}\n", text, text)
		qrels += fmt.Sprintf("q%d\td%d\t1\n", i, i)
	}
	if err := os.MkdirAll("own/qrels", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"own/corpus.jsonl": docs.String(), "own/queries.jsonl": queries.String(), "own/qrels/test.tsv": qrels, "train.jsonl": train.String(),
		"own.yaml": "name: own\nbase: {data: ./train.jsonl, backbone: tiny-bert, train: {epochs: 1, rows_per_group: 3, groups: 2}}\nmatrix: {loss: [uni:P]}\nevaluate: [./own]\n"} {
		rewrite(t, name, []byte(text))
	}
	verbOutput(t, "sweep", "own.yaml", "--workers", "1")
	wantIn(t, verbOutput(t, "verify", "runs/own", "runs/own/report.html", "--runs", "runs/own"), "0 differences")
	folder := runs.At("runs/own")
	counts, err := folder.Overlaps().Read()
	if err != nil || len(counts) != 1 {
		t.Fatalf("%v, %v", counts, err)
	}
	for i := range counts[0].Counts {
		counts[0].Counts[i].Exact, counts[0].Counts[i].Partial = 0, 0
	}
	if err := folder.Overlaps().Write(counts); err != nil {
		t.Fatal(err)
	}
	verbOutput(t, "report", "runs/own", "--format", "html", "--out", "forged.html")
	verbFails(t, exitFailure, "1 difference", "verify", "runs/own")
	verbFails(t, exitFailure, "differences", "verify", "forged.html", "--runs", "runs/own")
	wantIn(t, verbOutput(t, "verify", "forged.html"), "not checked: Contamination: counts of test texts in training data")
	if err := os.Rename("train.jsonl", "gone.jsonl"); err != nil {
		t.Fatal(err)
	}
	wantIn(t, verbOutput(t, "verify", "forged.html", "--runs", "runs/own"), "not checked: Contamination: how much of ./own is in ./train.jsonl was not counted")
}

// TestVerifyComparesTexts: verify detects a query text that was changed in a run folder
// together with all hashes.
func TestVerifyComparesTexts(t *testing.T) {
	dir := runOn(t, "random")
	path := filepath.Join(dir, "queries", "mini-bright.nature.jsonl.gz")
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	w := gzip.NewWriter(&again)
	if _, err := w.Write(bytes.Replace(text, []byte(`"text":"`), []byte(`"text":"forged `), 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, again.Bytes())
	rehash(t, dir, "queries/mini-bright.nature.jsonl.gz")
	verbFails(t, exitFailure, "1 difference", "verify", dir)
}
