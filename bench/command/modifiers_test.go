package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// Negatives mined by one model train others, with that model as their guide and teacher;
// vectors are evaluated at the trained widths.
func TestSweepsJudged(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "trip.jsonl", tripletLines(datasets.MiniInfIR(2)[:24]))
	first := experimentFile(t, "first", "base: {data: trip.jsonl, SMALL}\n")
	verbOutput(t, "sweep", first)
	exp, err := runs.At("runs/first").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	model := "./" + filepath.ToSlash(runs.At("runs/first").Trial(exp.Trials[0].ID).Model())
	if out := verbOutput(t, "data", "mine", "--data", "trip.jsonl", "--model", model, "--negatives", "3", "--out", "mined.jsonl"); !strings.Contains(out, "mined.jsonl: 72 rows with 216 negatives") {
		t.Errorf("data mine prints\n%s", out)
	}
	file := experimentFile(t, "judged", strings.ReplaceAll(`
base: {data: mined.jsonl, SMALL}
include:
  - {train.negatives: 2, train.false_negatives: {guide: MODEL, equal: mask}, train.hardness: {alpha: 5}}
  - {train.negatives: 3, train.distill: {teacher: scores, list: own, share: 1}}
  - {train.distill: {teacher: MODEL, list: batch, temperature: 0.05}, train.chunk: 5}
  - {train.matryoshka: {dims: [8, 4]}, dims: 4}
  - {loss: "sig(P,IQ)", train.temperature: 0.1, train.spread: 0.5}
exclude: [{train.negatives: 0, train.chunk: 0, dims: 0, train.spread: 0}]
`, "MODEL", model))
	if out := verbOutput(t, "sweep", file); !strings.Contains(out, "All 5 trials of the plan finished") {
		t.Errorf("sweep prints\n%s", out)
	}
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "0 to run") {
		t.Errorf("planned again:\n%s", out)
	}
	if exp, err = runs.At("runs/judged").Reader().Load(); err != nil {
		t.Fatal(err)
	}
	for _, trial := range exp.Trials {
		if trial.State != results.Done {
			t.Errorf("%v: %s", trial.Config, trial.State)
		}
	}
	verbOutput(t, "evaluate", "--model", model, "--data", "mini-bright", "--dims", "4", "--out", "narrow")
	verbFails(t, usage.ExitUsage, "--dims 4: bm25 has no single vector per text", "evaluate", "--model", "bm25", "--data", "mini-bright", "--dims", "4")
	verbFails(t, usage.ExitUsage, "dims 4000: the vectors have", "evaluate", "--model", model, "--data", "mini-bright", "--dims", "4000")
}

// Training uses and counts rows for which mine found nothing.
func TestPlanCountsRowsWithoutNegatives(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines strings.Builder
	for i := range 12 {
		negatives, scores := `[]`, `[4]`
		if i%3 > 0 {
			negatives, scores = `["n", "m"]`, `[4, 1, 2]`
		}
		fmt.Fprintf(&lines, `{"query": "q %d", "passage": "p %d", "negatives": %s, "teacher_scores": %s}`+"\n", i, i, negatives, scores)
	}
	writeFile(t, "mined.jsonl", lines.String())
	file := experimentFile(t, "mined", "base: {data: mined.jsonl, backbone: tiny-bert, train: {epochs: 1, negatives: 2, distill: {teacher: scores, list: own}}}\n")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"plan", file}, &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String()+stderr.String(), "mined.jsonl: 4 of 12 records list no negatives") {
		t.Errorf("exit %d\n%s%s", code, stdout.String(), stderr.String())
	}
	writeFile(t, "plain.jsonl", strings.Repeat(`{"query": "q", "passage": "p"}`+"\n", 12))
	file = experimentFile(t, "both", "base: {data: mined.jsonl + plain.jsonl, backbone: tiny-bert, train: {epochs: 1, negatives: 2}}\n")
	stdout.Reset()
	if code := run([]string{"plan", file}, &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String(), "plain.jsonl: 12 of 12 records list no negatives") {
		t.Errorf("exit %d\n%s%s", code, stdout.String(), stderr.String())
	}
}

// Settings that a row's fields do not allow, or that do not go together, are refused at their
// place in the file before anything runs.
func TestPlanRefusesModifiers(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "pairs.jsonl", strings.Repeat(`{"query": "q", "passage": "p", "negatives": ["n"], "teacher_scores": [400, 1]}`+"\n", 12))
	for train, want := range map[string]string{
		"negatives: 2":                                          "negatives 2: no record lists more than 1",
		"distill: {teacher: scores}":                            "distill: list record needs records of several passages",
		"distill: {teacher: scores, list: own}":                 "distill: list own without negatives",
		"negatives: 1, distill: {teacher: scores, list: own}":   "the scores of a row lie 399 apart",
		"distill: {list: own}":                                  "without teacher",
		"false_negatives: {own: mask}":                          "without guide",
		"false_negatives: {guide: bm25}":                        "guide bm25: want self, or a model that gives vectors",
		"false_negatives: {guide: slef}":                        `did you mean "self"?`,
		"distill: {teacher: score}":                             `did you mean "scores"?`,
		"distill: {teacher: e5-base}":                           `unknown model "e5-base"`,
		"matryoshka: {dims: [9000]}":                            "matryoshka: dims 9000: the vectors have",
		"matryoshka: {dims: [4], weights: [1, 2]}":              "2 weights of 1 dims",
		"matryoshka: {dims: [4, 2], weights: [0, 0]}":           "weights [0 0]: at least one must be above 0",
		"hardness: {alpha: 5, on: batches}":                     `unknown hardness: on "batches"; did you mean "batch"?`,
		"focal: 2, bias: -1, temperature: 0.1}, loss: 'sig(P)'": "loss sig(P) with focal 2",
	} {
		settings := "{" + train
		if !strings.Contains(train, "}, loss") {
			settings += "}"
		}
		file := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]\nbase: {data: pairs.jsonl, backbone: tiny-bert, train: "+settings+"}\n")
		verbFails(t, usage.ExitUsage, want, "plan", file)
	}
}
