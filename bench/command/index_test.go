package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit/chromatest"
	"infbench/internal/usage"
	"infbench/runners/results"
)

// chromaAddress is a Chroma server: the one in INFBENCH_CHROMA (.ci/chroma/run starts it),
// else a fake one in the test.
func chromaAddress(t *testing.T) string {
	t.Helper()
	if address := os.Getenv("INFBENCH_CHROMA"); address != "" {
		return address
	}
	return chromatest.New(t).URL
}

// On a corpus this small, approximate search finds the same as exact search; output,
// provenance and report record that it is approximate, and the share it found.
func TestIndex(t *testing.T) {
	model, address := goldenModel(t, "bert", nil), chromaAddress(t)
	args := []string{"evaluate", "--model", model, "--data", "mini-bright", "--task", "nature"}
	exact := evaluated(t, args[1:]...)["nature"]
	out := filepath.Join(t.TempDir(), "approximate")
	said := verbOutput(t, append(args, "--index", "chroma", "--index-search", "400", "--index-url", address, "--out", out)...)
	if want := "nature: approximate: Chroma 1.0.0 searched 360 documents (collection infbench-"; !strings.Contains(said, want) || !strings.Contains(said, "recall@10 1.000 (least 1.000)") {
		t.Errorf("it says\n%s\nwant %q and its recall", said, want)
	}
	for query, hits := range savedRuns(t, out)["nature"] {
		for i, hit := range hits[:10] {
			if want := exact[query][i]; hit.Score-want.Score > 1e-6 || want.Score-hit.Score > 1e-6 {
				t.Errorf("query %s, rank %d: %v, exactly %v", query, i+1, hit, want)
			}
		}
	}
	var got results.Trial
	if err := results.At(out).Reader().Trial(&got); err != nil {
		t.Fatal(err)
	}
	a := got.Provenance.Approximations
	if len(a) != 1 || a[0].Documents != 360 || a[0].Queries != 40 || len(a[0].Recall) != 4 || a[0].Recall[1] != (results.RecallAt{K: 10, Mean: 1, Least: 1}) {
		t.Errorf("provenance has %+v", a)
	}
	for key, want := range map[string]string{results.Index: "chroma", "index.neighbors": "32", "index.build": "200", "index.search": "400"} {
		if got.Config[key] != want {
			t.Errorf("%s is %q, want %q", key, got.Config[key], want)
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	verbOutput(t, "report", out, "--format", "html", "--out", page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "is approximate: Chroma 1.0.0 found its documents without comparing all") {
		t.Errorf("the page does not say that it is approximate, %v", err)
	}
	verbOutput(t, "verify", page, "--runs", out)
}

// A sweep pins a baseline's search graph, and a flag names its server.
func TestSweepIndex(t *testing.T) {
	model, address := goldenModel(t, "bert", nil), chromaAddress(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "index.yaml")
	content := fmt.Sprintf("name: index\nbaselines: [%s, {model: %s, index: {engine: chroma, search: 400}}]\nevaluate: [{mini-bright: [nature]}]\nbase: {train: {epochs: 0, steps: 1}}\n", model, model)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	said := verbOutput(t, "sweep", file, "--runs", dir, "--workers", "1", "--only", "model="+model, "--index-url", address, "--shards", "2")
	for _, want := range []string{"index.engine=chroma", "index.search=400", "is approximate: Chroma 1.0.0"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}

func TestIndexUsage(t *testing.T) {
	model := goldenModel(t, "bert", nil)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--model", model, "--index", "chroma"}, "--index chroma: the address of its server is missing; give it with --index-url"},
		{[]string{"--model", model, "--index", "chroma", "--index-url", "localhost:8000"}, "--index-url: Chroma server: want an http or https address"},
		{[]string{"--model", model, "--index", "weaviate"}, `unknown engine of an index "weaviate"`},
		{[]string{"--model", model, "--index-search", "9"}, "needs its engine: chroma"},
		{[]string{"--model", model, "--index", "chroma", "--index-search", "-1"}, "search -1: want at least 1"},
		{[]string{"--model", "bm25", "--index", "chroma", "--index-url", "http://localhost:1"}, "bm25 does not give a single vector for a text"},
		{[]string{"--model", model, "--index", "chroma", "--index-url", "http://localhost:1", "--shards", "3"}, "searches the complete corpus by itself"},
	} {
		verbFails(t, usage.ExitUsage, c.want, append([]string{"evaluate", "--data", "mini-bright"}, c.args...)...)
	}
	verbFails(t, usage.ExitFailure, "Chroma server http://127.0.0.1:1: ", "evaluate", "--data", "mini-bright", "--model", model, "--index", "chroma", "--index-url", "http://127.0.0.1:1")
	file := filepath.Join(t.TempDir(), "index.yaml")
	for entry, want := range map[string]string{
		"{model: bm25, index: {engine: chroma}}":                    "index: bm25 has no vectors that a server could keep",
		"{model: untrained, index: {engine: chroma}}":               "index: untrained has no vectors that a server could keep",
		"{model: " + model + ", index: {engine: croma}}":            `did you mean "chroma"?`,
		"{model: " + model + ", index: {neighbors: 3}}":             "needs its engine: chroma",
		"{model: " + model + ", index: {engine: chroma, serch: 3}}": `did you mean "search"`,
	} {
		if err := os.WriteFile(file, []byte("name: x\nbaselines: ["+entry+"]\nevaluate: [mini-bright]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		verbFails(t, usage.ExitUsage, want, "plan", file)
	}
}
