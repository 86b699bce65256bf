package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
)

// checked runs models check on a folder.
func checked(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(append([]string{"models", "check"}, args...), &out, &errs); got != code {
		t.Fatalf("exit %d, want %d: %s\n%s", got, code, errs.String(), out.String())
	}
	return out.String() + errs.String()
}

// TestModelsCheck: a really trained model runs; the missing parts of the golden model without
// a tokenizer are reported, and an unknown tensor is listed.
func TestModelsCheck(t *testing.T) {
	out := checked(t, exitOK, testkit.SharedPath(t, "models/stories260k-hf"))
	for _, want := range []string{"LlamaForCausalLM", "language model", "260032", "tokenizer of 512 tokens", "F32", "1.0 MiB as float32"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	dir := filepath.Join(t.TempDir(), "bert")
	if err := os.CopyFS(dir, os.DirFS(testkit.SharedPath(t, "goldens/bert"))); err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(dir, "model.safetensors")
	data, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte("encoder.layer.1.output.dense.bias"), []byte("encoder.layer.1.output.dance.bias"), 1)
	if err := os.WriteFile(weights, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out = checked(t, exitFailure, dir)
	for _, want := range []string{"BertModel", "output.dense.bias", "output.dance.bias", "tokenizer.json", "1 missing tensors, 1 unknown ones, 1 other problems"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _, _ = strings.Cut(checked(t, exitFailure, "--format", "json", dir), "infbench:")
	var found struct {
		Runs    bool
		Unknown []string `json:"unknown_tensors"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || found.Runs || len(found.Unknown) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	checked(t, exitFailure, filepath.Join(t.TempDir(), "nothing"))
	checked(t, usage.ExitUsage)
}

// TestModelsCheckDecoders: current decoders run, each as its folder defines.
func TestModelsCheckDecoders(t *testing.T) {
	for name, want := range map[string][]string{
		"qwen3":                 {"language model", "Qwen3ForCausalLM", "qwen3"},
		"qwen3_sharded":         {"language model"},
		"qwen3_sliding":         {"language model"},
		"qwen3_headdim_untied":  {"language model"},
		"qwen3_embedding":       {"encoder", "pooling", "last"},
		"qwen3_bf16":            {"encoder", "BF16"}, // no output table
		"qwen3_bidirectional":   {"encoder", "bidirectional", "mean"},
		"cross_qwen3_1label":    {"cross-encoder", "labels"},
		"llama_bidirec":         {"encoder", "LlamaBidirectionalModel", "bidirectional", "mean"},
		"qwen2_bidirectional":   {"encoder", "bidirectional", "last"},
		"mistral_bidirectional": {"encoder", "bidirectional", "exclude"},
	} {
		out := checked(t, exitOK, goldenModel(t, name, nil))
		for _, word := range want {
			if !strings.Contains(out, word) {
				t.Errorf("%s: no %q in\n%s", name, word, out)
			}
		}
	}
}

// A golden folder has no tokenizer by default: models check and evaluate report that before
// anything starts.
func TestGoldenFoldersWithoutTokenizer(t *testing.T) {
	root := filepath.Join(testkit.Shared(), "goldens")
	folders, err := filepath.Glob(filepath.Join(root, "*", "config.json"))
	if err != nil || len(folders) == 0 {
		t.Skipf("SKIP: shared data absent at %s", root)
	}
	for _, file := range folders {
		verbFails(t, exitFailure, "cannot be run", "models", "check", filepath.Dir(file))
	}
	verbFails(t, exitFailure, "neither tokenizer.json nor vocab.txt", "evaluate",
		"--model", filepath.Join(root, "bert"), "--data", writeFiles(t, zoo), "--out", filepath.Join(t.TempDir(), "out"))
}
