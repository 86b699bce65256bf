package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
)

// publishedVerdicts is the output of models check --published --format json.
type publishedVerdicts struct {
	Models, Runs, Refused int
	NotRecorded           int `json:"architecture_not_recorded"`
	Scoreless             int `json:"models_without_scores"`
	Verdicts              []struct{ Model, Verdict, Architecture, Why, Source string }
}

func verdictsOf(t *testing.T, folder string) (all publishedVerdicts, byModel map[string]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(checked(t, exitOK, "--published", folder, "--format", "json")), &all); err != nil {
		t.Fatal(err)
	}
	byModel = map[string]string{}
	for _, v := range all.Verdicts {
		byModel[v.Model] = v.Verdict + "; " + v.Architecture + "; " + v.Why
	}
	return all, byModel
}

// TestModelsPublished: each of the 191 models with scores in MTEB's public FollowIR results
// has one verdict (9 more have p-MRR alone: see SOURCE.md there).
func TestModelsPublished(t *testing.T) {
	folder := testkit.SharedPath(t, "data/mteb-results")
	all, byModel := verdictsOf(t, folder)
	if all.Models != 191 || len(byModel) != 191 || all.Scoreless != 9 || all.Runs+all.Refused+all.NotRecorded != 191 {
		t.Errorf("%d models, %d verdicts, %d + %d + %d, %d without scores", all.Models, len(byModel), all.Runs, all.Refused, all.NotRecorded, all.Scoreless)
	}
	for model, want := range map[string]string{
		"google/embeddinggemma-300m":             "runs; gemma3_text; ",
		"sentence-transformers/all-MiniLM-L6-v2": "runs; bert; ",
		"minishlab/potion-base-8M":               "runs; static; ",
		"Cohere/Cohere-embed-english-v3.0":       "runs; interface of cohere; ",
		"mteb/baseline-bm25s":                    "runs; baseline bm25; ",
		"GritLM/GritLM-8x7B":                     "refused; mixtral; no network of model_type mixtral",
		"izhx/udever-bloom-3b":                   "refused; bloom; no network of model_type bloom",
		"jinaai/jina-embeddings-v2-base-en":      "refused; bert; positions by ALiBi, in code of its own",
		"voyageai/voyage-3.5":                    "refused; interface of voyageai; weights are not published, and infbench does not speak the interface of voyageai",
		"google/gemini-embedding-001":            "runs; interface of google; ",
		"google/text-multilingual-embedding-002": "refused; interface of vertex-ai; weights are not published, and infbench does not speak the interface of vertex-ai",
		"malenia1/ternary-weight-embedding":      "architecture not recorded; ; ",
	} {
		if byModel[model] != want {
			t.Errorf("%s: %q, want %q", model, byModel[model], want)
		}
	}
	out := checked(t, exitOK, "--published", folder)
	for _, want := range []string{"191 models of published results", "9 more models have files without the score of a task", "have a recorded architecture"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Results of models without recorded architectures, in a plain folder.
func TestModelsPublishedUnknown(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "team__new-model", "1", "SciFact.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	rewrite(t, file, []byte(`{"task_name": "SciFact", "mteb_version": "1.38.9", "scores": {"test": [{"main_score": 0.5, "ndcg_at_10": 0.5, "hf_subset": "default"}]}}`))
	all, byModel := verdictsOf(t, dir)
	if all.Models != 1 || all.NotRecorded != 1 || byModel["team/new-model"] != "architecture not recorded; ; " {
		t.Errorf("%+v", all)
	}
	if out := checked(t, exitOK, "--published", dir); strings.Contains(out, "%") {
		t.Errorf("a share of nothing:\n%s", out)
	}
	checked(t, exitFailure, "--published", t.TempDir())
	checked(t, usage.ExitUsage, "--published", dir, "bert")
}
