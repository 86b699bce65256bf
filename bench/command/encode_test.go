package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// diversity accepts vectors that encode wrote for the same texts, all or the same sample, and
// refuses any others.
func TestEncodeForDiversity(t *testing.T) {
	model, dir := goldenModel(t, "bert", nil), t.TempDir()
	all, some := filepath.Join(dir, "all.npy"), filepath.Join(dir, "some.npy")
	said := verbOutput(t, "encode", "mini-infir", "--field", "query", "--model", model, "--out", all)
	if !strings.Contains(said, "field query, encoded as query") {
		t.Errorf("encode says %q", said)
	}
	verbOutput(t, "encode", "mini-infir", "--field", "query", "--sample", "40", "--model", model, "--out", some)
	of := func(vectors string) string {
		return verbOutput(t, "data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--embeddings", vectors, "--format", "csv")
	}
	if a, b := of(all), of(some); a != b || !strings.Contains(a, "APS,") {
		t.Errorf("diversity by the vectors of all texts and of the sample:\n%s\n%s", a, b)
	}
	verbFails(t, exitFailure, "some.npy holds vectors of other texts (40, field query of mini-infir",
		"data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--seed", "2", "--embeddings", some)
	verbFails(t, exitFailure, "holds vectors of other texts", "data", "diversity", "mini-infir", "--embeddings", all)
	if err := os.WriteFile(some, []byte("[1]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "is not the file that", "data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--embeddings", some)
}

func TestEncodeErrors(t *testing.T) {
	texts, out := inFile(t, "texts.jsonl", sixTexts), filepath.Join(t.TempDir(), "v.npy")
	model := goldenModel(t, "bert", nil)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "needs --model and --out", []string{texts}},
		{usage.ExitUsage, `unknown role "querry"; did you mean "query"?`, []string{texts, "--model", "x", "--out", out, "--as", "querry"}},
		{usage.ExitUsage, `did you mean "mini-infir"?`, []string{"mini-infr", "--model", "x", "--out", out}},
		{usage.ExitUsage, `unknown field "querry"; did you mean "query"?`, []string{"mini-infir", "--field", "querry", "--model", "x", "--out", out}},
		{usage.ExitUsage, "model bm25: want a HuggingFace model folder", []string{texts, "--model", "bm25", "--out", out}},
		{usage.ExitUsage, `query_prompt: config_sentence_transformers.json: unknown prompt "queri"; did you mean "query"?`, []string{texts, "--model", model, "--out", out, "--query-prompt", "queri"}},
		{exitFailure, "--sample 7 of 6 texts", []string{texts, "--model", "x", "--out", out, "--sample", "7"}},
	} {
		verbFails(t, c.code, c.want, append([]string{"encode"}, c.args...)...)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a verb that failed left its output")
	}
	verbFails(t, usage.ExitUsage, `document_prompt "sts": bm25 has no named prompts`, "evaluate", "--model", "bm25", "--data", "mini-followir", "--document-prompt", "sts")
}

// A flag chooses between a folder's prompts; the choice is in the config of an evaluation.
func TestChosenPrompts(t *testing.T) {
	model, dir := goldenModel(t, "bert", map[string]string{
		"config_sentence_transformers.json": `{"prompts": {"query": "w5 ", "sts": "w9 w9 "}, "default_prompt_name": "sts"}`,
		"modules.json": `[{"path": "", "type": "sentence_transformers.models.Transformer"},
			{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json": `{"pooling_mode_mean_tokens": true}`,
	}), t.TempDir()
	texts := inFile(t, "texts.jsonl", sixTexts)
	vectors := func(args ...string) string {
		t.Helper()
		out := filepath.Join(dir, "v"+strings.Join(args, "")+".npy")
		verbOutput(t, append([]string{"encode", texts, "--model", model, "--out", out}, args...)...)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	plain, document := vectors(), vectors("--as", "document")
	for i, same := range []bool{
		plain == vectors("--query-prompt", "query"),
		plain != vectors("--query-prompt", "sts"),
		document == vectors("--as", "document", "--query-prompt", "sts"),
		document == vectors("--as", "document", "--document-prompt", "document"),
		document != vectors("--as", "document", "--document-prompt", "sts"),
		vectors("--query-prompt", "sts") == vectors("--as", "document", "--document-prompt", "sts"),
	} {
		if !same {
			t.Errorf("comparison %d: prompts by flag are not those of the folder", i)
		}
	}
	out := filepath.Join(dir, "evaluated")
	verbOutput(t, "evaluate", "--model", model, "--data", "mini-followir", "--query-prompt", "sts", "--out", out)
	found := false
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, readErr := os.ReadFile(path)
			found, err = found || strings.Contains(string(data), `"query_prompt": "sts"`) || strings.Contains(string(data), `"query_prompt":"sts"`), readErr
		}
		return err
	})
	if err != nil || !found {
		t.Errorf("query_prompt is in no file of the evaluation: %v", err)
	}
}
