package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/usage"
)

// configOf is the configuration of the one trial of an evaluation, or of that of a sweep
// whose model is named.
func configOf(t *testing.T, dir, model string) results.Config {
	t.Helper()
	exp, err := runs.At(dir).Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range exp.Trials {
		if len(exp.Trials) == 1 || trial.Config[results.Model] == model {
			return trial.Config
		}
	}
	t.Fatalf("%s has no trial of %s", dir, model)
	return nil
}

// A model named as a baseline ranks in a sweep as evaluate ranks with it, and is one row
// with it.
func TestModelsAsBaselines(t *testing.T) {
	t.Setenv("INFBENCH_TEST_KEY", "sk-test")
	endpoint, url := newFakeEndpoint(t, 0)
	folder, pairs := writeEncoder(t, ""), goldenModel(t, "cross_bert_2labels", nil)
	t.Chdir(t.TempDir())
	evaluate := func(out string, args ...string) string {
		verbOutput(t, append([]string{"evaluate", "--data", "mini-bright", "--out", out}, args...)...)
		return out
	}
	alone := map[string]string{
		folder:   evaluate("alone/folder", "--model", folder),
		pairs:    evaluate("alone/pairs", "--model", pairs, "--first", "bm25", "--depth", "3"),
		"remote": evaluate("alone/remote", "--model", "remote", "--url", url, "--remote-model", "m", "--dim", "4", "--key-env", "INFBENCH_TEST_KEY"),
	}
	file := inFile(t, "x.yaml", fmt.Sprintf(`name: x
base: {train: {epochs: 1, rows_per_group: 240}}
baselines:
  - %s
  - {rerank: %s, first: bm25, depth: 3}
  - {remote: {url: %q, model: m, dim: 4}}
evaluate: [mini-bright]
`, folder, pairs, url))
	if out := verbOutput(t, "plan", file); !strings.Contains(out, "depth=3 first=bm25") || !strings.Contains(out, "time: ") {
		t.Errorf("plan printed\n%s", out)
	}
	verbOutput(t, "sweep", file, "--key-env", "INFBENCH_TEST_KEY")
	if !endpoint.keys["Bearer sk-test"] {
		t.Errorf("keys %v", endpoint.keys)
	}
	if plan, err := os.ReadFile("runs/x/plan.json"); err != nil || strings.Contains(string(plan), "KEY") || strings.Contains(string(plan), "sk-test") {
		t.Errorf("the plan names a key: %v", err)
	}
	for model, dir := range alone {
		is, was := configOf(t, "runs/x", model), configOf(t, dir, model)
		delete(is, results.Seed)
		delete(was, results.Seed)
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(is)
		if string(a) != string(b) {
			t.Errorf("evaluate: %s\nsweep:    %s", a, b)
		}
		if out := verbOutput(t, "diff", dir, "runs/x"); strings.Contains(out, "values differ") {
			t.Errorf("%s:\n%s", model, out)
		}
	}
	if out := verbOutput(t, "report", "runs/x", alone[folder], alone[pairs], alone["remote"]); strings.Count(out, "tiny") > strings.Count(verbOutput(t, "report", "runs/x"), "tiny")+3 {
		t.Errorf("the folder has two rows:\n%s", out)
	}

	t.Run("a changed folder is refused", func(t *testing.T) {
		plan, err := runs.At("runs/x").Plan()
		if err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(folder, "config.json")
		data, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, trial := range plan.Trials {
			if trial.Cell.Model == folder {
				verbFails(t, exitFailure, "plan again", "repeat", "runs/x", trial.ID)
			}
		}
	})
}

// A model of the hub that was not fetched is named with how to fetch it; fetched it is
// pinned by its commit, read as its card says, and one row under every name it has.
func TestHubBaselines(t *testing.T) {
	folder := writeEncoder(t, "")
	if err := os.Remove(filepath.Join(folder, "infbench.json")); err != nil { // as published models have none
		t.Fatal(err)
	}
	modelHub(t, folder)
	const commit = "1c644c92ad3ba1efdad3f1451a637716616a20e8" // the card's
	t.Chdir(t.TempDir())
	file := inFile(t, "x.yaml", "name: x\nbase: {train: {epochs: 1, rows_per_group: 240}}\nbaselines: [intfloat/e5-base-v2, untrained]\nevaluate: [mini-bright]\n")
	const fetch = "model intfloat/e5-base-v2 is not on this machine: infbench models fetch intfloat/e5-base-v2"
	verbFails(t, exitFailure, fetch, "sweep", file)
	if out := verbOutput(t, "plan", file); !strings.Contains(out, fetch) {
		t.Errorf("plan printed\n%s", out)
	}
	for _, name := range []string{"intfloat/e5-base-v2", "e5-base-v2", "E5-base-v2"} {
		verbFails(t, exitFailure, "infbench models fetch intfloat/e5-base-v2", "evaluate", "--model", name, "--data", "mini-bright")
	}
	verbFails(t, exitFailure, `did you mean "intfloat/e5-base-v2"?`, "evaluate", "--model", "intfloat/e5-base-v3", "--data", "mini-bright")
	verbFails(t, usage.ExitUsage, `did you mean "e5-base-v2"?`, "evaluate", "--model", "e5-bse-v2", "--data", "mini-bright")
	verbFails(t, usage.ExitUsage, "--remote-api openai", "evaluate", "--model", "text-embedding-3-large", "--data", "mini-bright")

	verbOutput(t, "models", "fetch", "e5-base-v2")
	snapshot := filepath.Join(os.Getenv("HF_HUB_CACHE"), "models--intfloat--e5-base-v2", "snapshots", commit)
	verbOutput(t, "sweep", file)
	swept := configOf(t, "runs/x", "intfloat/e5-base-v2")
	if swept[results.Weights] != commit || !strings.HasPrefix(swept[results.Card], "e5-base-v2@") {
		t.Errorf("swept as %v", swept)
	}
	var folders []string
	for i, name := range []string{"intfloat/e5-base-v2", "e5-base-v2", snapshot} {
		out := fmt.Sprint("alone/", i)
		said := verbOutput(t, "evaluate", "--model", name, "--data", "mini-bright", "--out", out)
		if !strings.HasPrefix(said, "intfloat/e5-base-v2\n") || !strings.Contains(said, "texts are read as its card says") {
			t.Errorf("evaluate --model %s printed\n%s", name, said)
		}
		if is := configOf(t, out, ""); is[results.Model] != "intfloat/e5-base-v2" || is[results.Card] != swept[results.Card] || is[results.Weights] != commit {
			t.Errorf("%s is %v", name, is)
		}
		folders = append(folders, out)
	}
	out := verbOutput(t, append([]string{"report", "runs/x"}, folders...)...)
	if !strings.Contains(out, "intfloat/e5-base-v2") || strings.Contains(out, "weights=") || strings.Contains(out, commit[:12]) {
		t.Errorf("the model has several rows, or is named by its folder:\n%s", out)
	}
	for _, want := range []string{"intfloat/e5-base-v2 is read as its card says", "untrained keeps the design of the trained cells"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("the page lacks %q:\n%s", want, out)
		}
	}
}
