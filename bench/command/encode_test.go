package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// Vectors that encode wrote serve diversity of the same texts, of all or of the same
// sample, and of no others.
func TestEncodeForDiversity(t *testing.T) {
	model, dir := goldenModel(t, "bert", nil), t.TempDir()
	all, some := filepath.Join(dir, "all.npy"), filepath.Join(dir, "some.npy")
	said := verbOutput(t, "encode", "mini-infir", "--field", "query", "--model", model, "--out", all)
	if !strings.Contains(said, "field query, read as query") {
		t.Errorf("encode says %q", said)
	}
	verbOutput(t, "encode", "mini-infir", "--field", "query", "--sample", "40", "--model", model, "--out", some)
	of := func(vectors string) string {
		return verbOutput(t, "data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--embeddings", vectors, "--format", "csv")
	}
	if a, b := of(all), of(some); a != b || !strings.Contains(a, "APS,") {
		t.Errorf("diversity by the vectors of all texts and of the sample:\n%s\n%s", a, b)
	}
	verbFails(t, exitFailure, "some.npy holds vectors of other texts: of 40, field query of mini-infir",
		"data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--seed", "2", "--embeddings", some)
	verbFails(t, exitFailure, "holds vectors of other texts", "data", "diversity", "mini-infir", "--embeddings", all)
	if err := os.WriteFile(some, []byte("[1]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "is not the file that", "data", "diversity", "mini-infir", "--field", "query", "--sample", "40", "--embeddings", some)
}

func TestEncodeErrors(t *testing.T) {
	texts, out := inFile(t, "texts.jsonl", sixTexts), filepath.Join(t.TempDir(), "v.npy")
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
		{exitFailure, "--sample 7 of 6 texts", []string{texts, "--model", "x", "--out", out, "--sample", "7"}},
	} {
		verbFails(t, c.code, c.want, append([]string{"encode"}, c.args...)...)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a verb that failed left its output")
	}
}
