package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// toyMeasure is all that a new measure needs beside its line in the list of families:
// the share of the relevant documents that are not among the first k, so the lower is
// the better.
const toyMeasure = `package metrics

type Missed struct{ K int }

var missedFamily = Family{
	Name: "Missed", Forms: "Missed@k",
	Definition: "relevant documents below rank k, divided by all of them",
	Range:      "[0,1]", Direction: Lower, Source: "a test",
	make: func(a *arguments) Measure { return Missed{K: a.needDepth()} },
}

func (m Missed) String() string { return spell("Missed", m.K) }

func (m Missed) Score(c *Case) (float64, bool) {
	found, ok := Recall{K: m.K}.Score(c)
	return 1 - found, ok
}
`

// toySection is all that a new section needs beside its line.
const toySection = `package reports

import "infbench/reports/section"

func toySections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-toys", Title: "Toys", Nav: "Toys", Notes: []string{"a section of one file and one line"}}}, nil
}
`

// TestGrowing builds infbench with a measure and a section that are a file and a line
// each, and finds both treated right by everything that ranks, marks, gates, selects,
// stops and prints.
func TestGrowing(t *testing.T) {
	testkit.Deep(t)
	grown := growth(t, map[string]string{"metrics/toy.go": toyMeasure, "reports/toy.go": toySection}, map[string][2]string{
		"metrics/family.go": {"judgedFamily, unjudgedFamily,", "judgedFamily, unjudgedFamily, missedFamily,"},
		"reports/board.go":  {"rankSections, ", "toySections, rankSections, "},
	})
	dir := t.TempDir()
	command := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.Command(grown, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("infbench %s: exit %d (%v)\n%s", strings.Join(args, " "), code, err, out)
		}
		return string(out)
	}
	for _, model := range []string{"bm25", "random", "constant"} {
		command(exitOK, "evaluate", "--model", model, "--data", "mini-mair", "--measure", "Missed@10", "--out", model)
	}

	t.Run("every format has the section, and verify holds it", func(t *testing.T) {
		for _, format := range []string{"terminal", "markdown", "latex", "csv", "json"} {
			if out := command(exitOK, "report", "--all", "bm25", "random", "--format", format); !strings.Contains(out, "Toys") || !strings.Contains(out, "a section of one file and one line") {
				t.Errorf("%s lacks the section", format)
			}
		}
		command(exitOK, "report", "bm25", "random", "--format", "html", "--out", "report.html")
		if out := command(exitOK, "verify", "report.html", "--runs", "."); !strings.Contains(out, " 0 differences") {
			t.Errorf("verify printed\n%s", out)
		}
		page, err := os.ReadFile(filepath.Join(dir, "report.html"))
		if err != nil || !strings.Contains(string(page), "a section of one file and one line") {
			t.Errorf("the page lacks the section: %v", err)
		}
	})

	t.Run("the lowest is bold and ranks first", func(t *testing.T) {
		for line := range strings.Lines(command(exitOK, "report", "bm25", "random", "constant", "--format", "markdown", "--row", "model", "--col", "measure", "--filter", "task=plain-topic")) {
			if bold := strings.Contains(line, "**"); bold != strings.Contains(line, "| bm25") && strings.HasPrefix(line, "| ") && strings.ContainsAny(line, "0123456789") {
				t.Errorf("bold: %q", line)
			}
		}
		if out := command(exitOK, "report", "--all", "bm25", "random", "constant"); !slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool {
			return strings.HasPrefix(line, " bm25 ") && strings.Contains(line, " 1 a")
		}) {
			t.Errorf("bm25 does not rank first:\n%s", out)
		}
	})

	t.Run("a rise is what a gate stops", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(dir, "gate.yaml"), []byte("rules: [{measure: Missed@10, maximum_drop: 1}]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var qrels strings.Builder
		ranked := map[string]*strings.Builder{"good": {}, "bad": {}}
		for q := range 12 {
			fmt.Fprintf(&qrels, "q%d 0 d 1\n", q)
			for name, at := range map[string]int{"good": 1, "bad": 20} {
				fmt.Fprintf(ranked[name], "q%d Q0 d %d %d x\n", q, at, 100-at)
				for rank := 2; rank < 15; rank++ {
					fmt.Fprintf(ranked[name], "q%d Q0 other%d %d %d x\n", q, rank, rank, 100-rank)
				}
			}
		}
		for name, text := range map[string]string{"qrels.txt": qrels.String(), "good.run": ranked["good"].String(), "bad.run": ranked["bad"].String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		good, bad := "good", "bad"
		for _, name := range []string{good, bad} {
			command(exitOK, "import", name+".run", "--qrels", "qrels.txt", "--model", "it", "--data", "toy", "--task", "one", "--measure", "Missed@10", "--out", name)
		}
		command(exitGate, "gate", "--baseline", good, "--rule", "gate.yaml", bad)
		command(exitOK, "gate", "--baseline", bad, "--rule", "gate.yaml", good)
	})

	t.Run("selection and early stopping take the lowest", func(t *testing.T) {
		file := "name: toy\nbase:\n  validate: {measure: Missed@10, queries: 20}\n  train: {epochs: 2, rows_per_group: 240, evaluate_every: 1, patience: 2}\n" +
			"matrix: {train.lr: [0.000001, 0.005]}\nselect: {on: validation, measure: Missed@10, per: [backbone]}\nevaluate: [mini-bright]\n"
		if err := os.WriteFile(filepath.Join(dir, "toy.yaml"), []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		command(exitOK, "sweep", "toy.yaml")
		exp, err := runs.At(filepath.Join(dir, "runs", "toy")).Load()
		if err != nil {
			t.Fatal(err)
		}
		means := map[string]float64{}
		for _, trial := range exp.Trials {
			kept := slices.IndexFunc(trial.Evaluations, func(e results.Evaluation) bool { return e.Best })
			least := slices.MinFunc(trial.Evaluations, func(a, b results.Evaluation) int { return int(1e9 * (a.Value - b.Value)) })
			if kept < 0 || trial.Evaluations[kept].Value != least.Value {
				t.Errorf("%s kept evaluation %d of %+v", trial.ID, kept, trial.Evaluations)
			}
			means[trial.Config["train.lr"]] = least.Value
		}
		out := command(exitOK, "report", "runs/toy", "--format", "json")
		lower := "0.000001"
		for lr, v := range means {
			if v < means[lower] {
				lower = lr
			}
		}
		if !strings.Contains(out, fmt.Sprintf("train.lr=%s, selected on validation", lower)) && means["0.005"] != means["0.000001"] {
			t.Errorf("the lowest is that of %s: %v", lower, means)
		}
	})
}

// growth builds the command with new files and changed lines laid over the tree.
func growth(t *testing.T, files map[string]string, lines map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range lines {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || strings.Count(string(text), change[0]) != 1 {
			t.Fatalf("%s: %v, %q stands there %d times", name, err, change[0], strings.Count(string(text), change[0]))
		}
		files[name] = strings.Replace(string(text), change[0], change[1], 1)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, name)] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "infbench")
	if err := os.WriteFile(list, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", list, "-o", program, "./bench")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
