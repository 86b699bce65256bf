package command

import (
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// TestBeyondFolders: every folder of goldens-beyond passes models check as its kind and is
// evaluated, an adapter with the base that its configuration names relative to its own folder.
func TestBeyondFolders(t *testing.T) {
	data := writeFiles(t, zoo)
	evaluated := 0
	for name, c := range map[string]struct {
		says  string // by models check
		pairs bool
	}{
		"cross_bert":               {"Sigmoid", true},
		"cross_bert_st5":           {"Identity", true},
		"cross_bert_trained":       {"Identity", true},
		"cross_modernbert":         {"cross-encoder", true},
		"judge_qwen3":              {"<start> judge {instruction} query: {query} document: {document} <end> answer:", true},
		"judge_qwen3_lora":         {"../judge_qwen3", true},
		"judge_qwen3_lora_trained": {"../judge_qwen3", true},
		"colbert_bert":             {"late-interaction", false},
		"colbert_bert_trained":     {"late-interaction", false},
		"late_modernbert":          {"late-interaction", false},
		"late_modernbert_trained":  {"late-interaction", false},
		"splade_bert":              {"sparse", false},
		"splade_bert_st5":          {"sparse", false},
		"splade_bert_trained":      {"sparse", false},
		"splade_router":            {"sparse", false},
		"splade_router_trained":    {"sparse", false},
		"monot5":                   {"language model", false}, // without a judge section
	} {
		dir := testkit.SharedPath(t, "goldens-beyond", name)
		if out := checked(t, exitOK, dir); !strings.Contains(out, c.says) {
			t.Errorf("%s: models check does not say %q:\n%s", name, c.says, out)
		}
		args := []string{"evaluate", "--model", dir, "--data", data, "--out", filepath.Join(t.TempDir(), "out")}
		if c.pairs {
			args = append(args, "--first", "bm25")
		}
		if out := verbOutput(t, args...); !strings.Contains(out, "test") {
			t.Errorf("%s: evaluate printed\n%s", name, out)
		}
		evaluated++
	}
	t.Logf("%d folders read, %d evaluated, 0 skipped", evaluated, evaluated)
}
