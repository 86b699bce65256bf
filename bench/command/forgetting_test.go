package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/reports/export"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// forgets trains one loss with three seeds and measures its forgetting on two collections.
const forgets = `
name: forgets
base: {backbone: %q, train: {epochs: 1, rows_per_group: 240}}
matrix: {seed: [1, 2, 3]}
baselines: [bm25]
evaluate: [mini-bright]
forgetting: {collections: [./first/beir, ./second], margin: %v}
`

// ownCollections writes two collections in BEIR's layout into the working folder: each query
// asks for the one document with its word.
func ownCollections(t *testing.T) {
	t.Helper()
	words := strings.Fields("copper harbour violin glacier lantern orchard falcon marble saddle thunder walnut zephyr ballad cinder dolphin ember")
	for i, dir := range []string{"first/beir", "second"} {
		var corpus, queries, qrels strings.Builder
		qrels.WriteString("query-id\tcorpus-id\tscore\n")
		for j, word := range words {
			fmt.Fprintf(&corpus, "{\"_id\": \"d%d\", \"title\": \"\", \"text\": \"a note on the %s of %s\"}\n", j, word, words[(j+i+1)%len(words)])
			fmt.Fprintf(&queries, "{\"_id\": \"q%d\", \"text\": \"what is known of the %s\"}\n", j, word)
			fmt.Fprintf(&qrels, "q%d\td%d\t1\n", j, j)
		}
		writeFile(t, filepath.Join(dir, "corpus.jsonl"), corpus.String())
		writeFile(t, filepath.Join(dir, "queries.jsonl"), queries.String())
		writeFile(t, filepath.Join(dir, "qrels", "test.tsv"), qrels.String())
	}
}

// A trial of forgetting from its file to a verified page: the trained model and its start are
// evaluated on the collections, every format has the verdicts, and another margin changes the
// plan but not the trials.
func TestForgetting(t *testing.T) {
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	ownCollections(t)
	writeFile(t, "forgets.yaml", fmt.Sprintf(forgets, backbone, 0.9))
	verbOutput(t, "sweep", "forgets.yaml")
	plan, err := spec.ReadPlan("runs/forgets/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range plan.Trials {
		want := "mini-bright ./first/beir ./second"
		if trial.Cell.Model == "bm25" {
			want = "mini-bright"
		}
		if got := strings.Join(trial.Evaluate, " "); got != want {
			t.Errorf("%s is evaluated on %q, want %q", trial.Label, got, want)
		}
	}
	if len(plan.Trials) != 7 || plan.Forgetting.Margin != 0.9 || plan.Forgetting.Measure != "nDCG@10" {
		t.Errorf("%d trials, %+v", len(plan.Trials), plan.Forgetting)
	}

	if text := verbOutput(t, "report", "runs/forgets"); strings.Contains(text, "changed after the run") {
		t.Error("the margin is reported as changed after the run")
	}
	const said = "Forgetting: on the mean of 2 collections, of 1 trained system against its start: 1 not inferior; on each of them 1 not inferior. The margin is 90.0 (0.9 of nDCG@10)."
	for _, format := range export.Formats() {
		text := verbOutput(t, "report", "runs/forgets", "--format", format)
		for _, want := range []string{"first", "second", "not inferior"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		if plain := strings.Join(strings.Fields(text), " "); format == "terminal" && !strings.Contains(plain, said) {
			t.Errorf("the terminal does not say %q:\n%s", said, plain)
		}
	}
	page := "runs/forgets/" + runs.ReportFile
	for _, args := range [][]string{{"verify", page}, {"verify", page, "--runs", "runs/forgets"}} {
		if out := verbOutput(t, args...); strings.Contains(out, "differ") && !strings.Contains(out, "0 differ") {
			t.Errorf("%v: %s", args, out)
		}
	}
	forged := strings.Replace(string(mustRead(t, page)), ">not inferior<", ">inferior<", 1)
	if forged == string(mustRead(t, page)) {
		t.Fatal("the page has no verdict in a cell")
	}
	writeFile(t, "forged.html", forged)
	verbFails(t, exitFailure, "2 differences", "verify", "forged.html") // the cell, and the seal

	writeFile(t, "forgets.yaml", fmt.Sprintf(forgets, backbone, 0.001))
	if out := verbOutput(t, "plan", "forgets.yaml", "--diff"); !strings.Contains(out, "~ forgetting.margin: 0.9 -> 0.001") || !strings.Contains(out, "0 added, 0 dropped, 0 altered, 7 as before") {
		t.Errorf("another margin: %s", out)
	}
	var stdout, stderr strings.Builder
	if code := run([]string{"sweep", "forgets.yaml"}, &stdout, &stderr); code != exitOK || !strings.Contains(stderr.String(), "the plan changes: forgetting.margin: 0.9 -> 0.001") {
		t.Errorf("another margin: exit %d, %s", code, stderr.String())
	}
	out := strings.Join(strings.Fields(verbOutput(t, "report", "runs/forgets")), " ")
	for _, want := range []string{"The margin is 0.1 (0.001 of nDCG@10)", "The limit on forgetting was changed after the run: 3 of 3 trained cells ran under a margin of 0.9 of nDCG@10 on first, second, and the plan now says a margin of 0.001 of nDCG@10 on first, second."} {
		if !strings.Contains(out, want) {
			t.Errorf("after a change of the margin no %q:\n%s", want, out)
		}
	}

	writeFile(t, "second/queries.jsonl", strings.Replace(string(mustRead(t, "second/queries.jsonl")), "what is known", "tell me", 1))
	if out := verbOutput(t, "plan", "forgets.yaml", "--diff"); !strings.Contains(out, "revision of ./second") || !strings.Contains(out, "6 altered, 1 as before") {
		t.Errorf("a changed collection: %s", out)
	}
}

// A name shared by the results of two folders, and a measure that a collection lacks, are
// errors at their place in the file; collections fetched from the hub are named as such.
func TestForgettingNames(t *testing.T) {
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	t.Setenv("HF_HUB_CACHE", t.TempDir())
	ownCollections(t)
	if err := os.CopyFS("other/second", os.DirFS("second")); err != nil {
		t.Fatal(err)
	}
	file := fmt.Sprintf(forgets, backbone, 0.02)
	for from, want := range map[string]string{
		"./first/beir, ./second":       "",
		"./other/second, ./second":     "x.yaml:7:44: forgetting: collections: ./other/second and ./second are both called second: give one of them another name by infbench data import DIR --name NAME",
		"./fisrt/beir":                 "x.yaml:7:28: collection ./fisrt/beir: there is no folder",
		"./secnd":                      "x.yaml:7:28: collection ./secnd: there is no such file or folder; did you mean second?",
		"mini-mare":                    `x.yaml:7:28: unknown benchmark "mini-mare"; did you mean "mini-mair"?`,
		"./second], measure: [P@10":    "forgetting: measure",
		"./second, mteb/nfcorpus":      "data set mteb/nfcorpus is not on this machine: infbench data fetch mteb/nfcorpus",
		"{./second: [test]}":           "",
		"{./second: [tst]}":            `x.yaml:7:13: unknown task "tst"; did you mean "test"?`,
		"mini-followir, mini-followir": "given twice",
		"mini-followir":                "x.yaml:7:13: forgetting: mini-followir is scored by other measures: unknown measure \"nDCG@10\"",
	} {
		writeFile(t, "x.yaml", strings.Replace(file, "./first/beir, ./second", from, 1))
		if want == "" {
			verbOutput(t, "plan", "x.yaml")
			continue
		}
		code := usage.ExitUsage
		if strings.HasPrefix(want, "data set") {
			code = exitFailure
		}
		verbFails(t, code, want, "sweep", "x.yaml")
	}
}

// The user's own collections are evaluated under their names: a folder, one that data import
// registered, and one fetched from the hub, each pinned by its content.
func TestOwnCollections(t *testing.T) {
	backbone := smallBackbone(t)
	t.Chdir(t.TempDir())
	cache := t.TempDir()
	t.Setenv("HF_HUB_CACHE", cache)
	ownCollections(t)
	verbOutput(t, "data", "import", "first/beir", "--name", "kept")
	commit := strings.Repeat("a", 40)
	base := filepath.Join(cache, "datasets--some--tiny")
	writeFile(t, filepath.Join(base, "refs", "main"), commit)
	if err := os.CopyFS(filepath.Join(base, "snapshots", commit), os.DirFS("second")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "own.yaml", strings.Replace(fmt.Sprintf(forgets, backbone, 0.9), "evaluate: [mini-bright]\nforgetting: {collections: [./first/beir, ./second], margin: 0.9}", "evaluate: [second, kept, some/tiny]", 1))
	verbOutput(t, "sweep", "own.yaml", "--only", "model=bm25")
	plan, err := spec.ReadPlan("runs/forgets/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	pins := map[string]string{}
	for _, r := range plan.Trials[0].Revisions {
		pins[r.Name] = r.Revision
	}
	if !strings.HasPrefix(pins["./second"], "sha256:") || !strings.HasPrefix(pins["kept"], "sha256:") || pins["some/tiny"] != commit || len(pins) != 3 {
		t.Errorf("pinned as %v", pins)
	}
	text := verbOutput(t, "report", "runs/forgets", "--format", "csv")
	for _, want := range []string{",second,", ",kept,", ",some/tiny,"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if out := verbOutput(t, "verify", "runs/forgets"); strings.Contains(out, "not checked") || !strings.Contains(out, "scored again") {
		t.Errorf("scored again: %s", out)
	}
	writeFile(t, "first/beir/queries.jsonl", string(mustRead(t, "second/queries.jsonl"))+"\n")
	verbFails(t, exitFailure, "kept changed since data import", "sweep", "own.yaml", "--only", "model=bm25")
}
