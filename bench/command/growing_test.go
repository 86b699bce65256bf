package command

import (
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

// TestGrowing builds infbench with the nine typical changes, and checks that everything which
// lists, runs, ranks, marks, gates, selects, stops and prints handles each correctly.
func TestGrowing(t *testing.T) {
	testkit.Deep(t)
	grown := changed(t, changes)
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
	shows := func(want string, args ...string) {
		t.Helper()
		if out := command(exitOK, args...); !strings.Contains(out, want) {
			t.Errorf("infbench %s lacks %q:\n%s", strings.Join(args, " "), want, out)
		}
	}
	for _, model := range []string{"bm25", "random", "constant"} {
		command(exitOK, "evaluate", "--model", model, "--data", "mini-mair", "--measure", "Missed@10", "--out", model)
	}

	t.Run("all are listed and run", func(t *testing.T) {
		shows("Missed", "list", "measures")
		shows("last-first", "list", "baselines")
		shows("toy", "list", "benchmarks")
		shows("nobody/toy at "+toyCommit, "data", "show", "toy")
		hub := filepath.Join(dir, "hub", "datasets--nobody--toy", "snapshots", toyCommit)
		if err := os.MkdirAll(filepath.Join(hub, "qrels"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"corpus.jsonl":     `{"_id":"d1","title":"","text":"a bear"}` + "\n" + `{"_id":"d2","title":"","text":"a doll"}`,
			"queries.jsonl":    `{"_id":"q1","text":"doll"}`,
			"qrels/test.jsonl": `{"query-id":"q1","corpus-id":"d2","score":1}`,
		} {
			if err := os.WriteFile(filepath.Join(hub, filepath.FromSlash(name)), []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("HF_HUB_CACHE", filepath.Join(dir, "hub"))
		shows("toy/toys        nDCG@10  100.00  1", "evaluate", "--model", "last-first", "--data", "toy")

		network := smallBackbone(t)
		config := filepath.Join(network, "config.json")
		text := string(mustRead(t, config))
		if err := os.WriteFile(config, []byte(strings.Replace(text, `"bert"`, `"toybert"`, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		shows("toybert", "models", "check", network)
		file := "name: toys\nbase: {backbone: " + network + ", loss: \"uni(P,PP)\", train: {epochs: 1, rows_per_group: 240}}\nbaselines: [last-first, untrained]\nevaluate: [mini-bright]\n"
		if err := os.WriteFile(filepath.Join(dir, "toys.yaml"), []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		shows("toy runs", "sweep", "toys.yaml", "--engine", "toy")
		shows("uni(P,PP)", "report", "runs/toys")
		shows(" 0 differences", "verify", "runs/toys/report.html", "--runs", "runs/toys")
	})

	t.Run("every format has the section, and it verifies", func(t *testing.T) {
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

	t.Run("a training key is explained, run, labelled and compared", func(t *testing.T) {
		shows("train.toy  number in [0,9] (toys); default 0: none", "list", "keys", "train.toy")
		shows(`"description": "how many toys a step takes. Unit: toys. If it is left out: 0: none. Since: a test."`, "list", "schema")
		t.Setenv("HF_HUB_CACHE", filepath.Join(dir, "hub"))
		writeFollowIRMini(t)
		if err := os.CopyFS(filepath.Join(dir, "Qwen2.5-1.5B"), os.DirFS(smallBackbone(t))); err != nil {
			t.Fatal(err)
		}
		for toy, name := range []string{"none", "one", "two"} {
			file := fmt.Sprintf("name: %s\nbase: {backbone: ./Qwen2.5-1.5B, train: {epochs: 1, rows_per_group: 240, toy: %d}}\nevaluate: [followir]\n", name, toy)
			if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
			command(exitOK, "sweep", name+".yaml")
		}
		shows(`train.toy: "2", before "1"`, "diff", "runs/one", "runs/two")
		shows("train.toy: 1, not 7", "report", "runs/one", "--published", "paper")
		shows("train.toy: not recorded, not 7", "report", "runs/none", "--published", "paper")
		shows("toys a step", "report", "--all", "runs/one", "runs/two")
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

	t.Run("the gate stops a rise", func(t *testing.T) {
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
		exp, err := runs.At(filepath.Join(dir, "runs", "toy")).Reader().Load()
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
