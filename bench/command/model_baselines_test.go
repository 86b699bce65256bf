package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/training/encoder"
)

// trialOf returns the one trial of an evaluation, or that of a sweep's model.
func trialOf(t *testing.T, dir, model string) *results.Trial {
	t.Helper()
	exp, err := runs.At(dir).Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range exp.Trials {
		if trial := &exp.Trials[i]; len(exp.Trials) == 1 || trial.Config[results.Model] == model {
			return trial
		}
	}
	t.Fatalf("%s has no trial of %s", dir, model)
	return nil
}

// A model named as a baseline gives the same ranking in a sweep as in evaluate, and they
// share one row.
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
base: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}
baselines:
  - %s
  - {rerank: %s, first: bm25, depth: 3}
  - {remote: {url: %q, model: m, dim: 4}}
evaluate: [mini-bright]
`, smallBackbone(t), folder, pairs, url))
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
		now, was := trialOf(t, "runs/x", model).Config, trialOf(t, dir, model).Config
		delete(now, results.Seed)
		delete(was, results.Seed)
		a, _ := json.Marshal(was)
		b, _ := json.Marshal(now)
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
		rewrite(t, config, append(mustRead(t, config), '\n'))
		for _, trial := range plan.Trials {
			if trial.Cell.Model == folder {
				verbFails(t, exitFailure, "plan again", "repeat", "runs/x", trial.ID)
			}
		}
	})
}

// A hub model that was not fetched is reported with the command that fetches it. Once
// fetched, it is pinned by its commit, read according to its card, and one row under all its
// names.
func TestHubBaselines(t *testing.T) {
	folder := writeEncoder(t, "")
	if err := os.Remove(filepath.Join(folder, "infbench.json")); err != nil { // published models have none
		t.Fatal(err)
	}
	modelHub(t, folder)
	const commit = "1c644c92ad3ba1efdad3f1451a637716616a20e8" // the card's
	t.Chdir(t.TempDir())
	file := inFile(t, "x.yaml", fmt.Sprintf("name: x\nbase: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}\nbaselines: [intfloat/e5-base-v2, untrained]\nevaluate: [mini-bright]\n", smallBackbone(t)))
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
	swept := trialOf(t, "runs/x", "intfloat/e5-base-v2").Config
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
		if now := trialOf(t, out, "").Config; now[results.Model] != "intfloat/e5-base-v2" || now[results.Card] != swept[results.Card] || now[results.Weights] != commit {
			t.Errorf("%s is %v", name, now)
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

// If an untrained backbone's folder sets dot similarity, a sweep uses it as evaluate does,
// and it is part of the identity; folders with cosine, or without a setting, keep their
// identities.
func TestUntrainedSimilarity(t *testing.T) {
	folder := writeEncoder(t, `{"normalize": false}`)
	file := filepath.Join(folder, "config_sentence_transformers.json")
	t.Chdir(t.TempDir())
	for _, said := range []string{"null", `"cosine"`, `"dot"`} {
		writeFile(t, file, `{"similarity_fn_name": `+said+`}`)
		name := "said-" + strings.Trim(said, `"`)
		yaml := inFile(t, "x.yaml", fmt.Sprintf("name: %s\nbase: {backbone: %s, train: {epochs: 1, rows_per_group: 240}}\nbaselines: [untrained]\nevaluate: [{mini-bright: [nature]}]\n", name, folder))
		verbOutput(t, "sweep", yaml, "--only", "model=untrained")
		verbOutput(t, "evaluate", "--model", folder, "--data", "mini-bright", "--task", "nature", "--out", "alone-"+name)
		if differ := results.Differ(trialOf(t, "runs/"+name, "untrained").Results, trialOf(t, "alone-"+name, "").Results); len(differ) > 0 {
			t.Errorf("a folder with %s: %s", said, strings.Join(differ[:min(3, len(differ))], "; "))
		}
		if got := trialOf(t, "runs/"+name, "untrained").Config[results.Similarity]; got != map[string]string{"said-dot": "dot"}[name] {
			t.Errorf("a folder with %s has similarity %q in its trial", said, got)
		}
	}
	if differ := results.Differ(trialOf(t, "runs/said-dot", "untrained").Results, trialOf(t, "runs/said-null", "untrained").Results); len(differ) == 0 {
		t.Error("dot and cosine rank alike: the test shows nothing")
	}
}

// A pair model from the hub reranks according to its card, as in evaluate.
func TestHubReranker(t *testing.T) {
	card, err := encoder.CardOf("monobert")
	if err != nil {
		t.Fatal(err)
	}
	modelHub(t, goldenModel(t, "cross_bert_2labels", nil))
	t.Chdir(t.TempDir())
	for _, name := range []string{card.Repository, "monobert"} {
		verbFails(t, exitFailure, "infbench models fetch "+card.Repository, "evaluate", "--model", name, "--first", "bm25", "--data", "mini-bright")
	}
	verbOutput(t, "models", "fetch", "monobert")
	file := inFile(t, "x.yaml", "name: x\nbase: {train: {epochs: 1, rows_per_group: 240}}\nbaselines: [{rerank: monobert, first: bm25, depth: 5}]\nevaluate: [{mini-bright: [nature]}]\n")
	verbOutput(t, "sweep", file, "--only", "first=bm25")
	said := verbOutput(t, "evaluate", "--model", card.Repository, "--first", "bm25", "--depth", "5", "--data", "mini-bright", "--task", "nature", "--out", "alone")
	if !strings.Contains(said, card.Repository) || !strings.Contains(said, "texts are read as its card says") {
		t.Errorf("evaluate printed\n%s", said)
	}
	if differ := results.Differ(trialOf(t, "runs/x", card.Repository).Results, trialOf(t, "alone", "").Results); len(differ) > 0 {
		t.Errorf("%d values differ", len(differ))
	}
	verbFails(t, usage.ExitUsage, "scores pairs: name a model that finds documents", "plan",
		inFile(t, "y.yaml", "name: y\nbaselines: [{rerank: monobert, first: monobert}]\nevaluate: [mini-bright]\n"))
	verbFails(t, usage.ExitUsage, "finds documents by itself", "plan",
		inFile(t, "z.yaml", "name: z\nbaselines: [{rerank: intfloat/e5-base-v2, first: bm25}]\nevaluate: [mini-bright]\n"))
}
