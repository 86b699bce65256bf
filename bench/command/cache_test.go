package command

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/codes"
)

// A second evaluation encodes nothing and ranks alike; a change in anything that determines a
// vector causes encoding again.
func TestEvaluateCache(t *testing.T) {
	data, cache := writeFiles(t, zoo), t.TempDir()
	dir := writeEncoder(t, "")
	run := func(model, want string) any {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		if output := verbOutput(t, "evaluate", "--model", model, "--data", data, "--cache", cache, "--out", out); !strings.Contains(output, want) {
			t.Errorf("%q, want %q", output, want)
		}
		return savedRuns(t, out)
	}
	first := run(dir, "0 texts found, 5 encoded")
	if second := run(dir, "5 texts found, 0 encoded"); !reflect.DeepEqual(first, second) {
		t.Errorf("from the cache %v, want %v", second, first)
	}
	// The folder's path and the model card do not matter.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(moved, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{
		{"README.md", "5 texts found, 0 encoded"},
		{"infbench.json", "0 texts found, 5 encoded"},
	} {
		if err := os.WriteFile(filepath.Join(moved, c.file), []byte(`{"query":"{instruction} {query}"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		run(moved, c.want)
	}
	models, err := runners.ListCache(cache)
	if err != nil || len(models) != 2 {
		t.Errorf("models %v, %v; want two", models, err)
	}
}

// With every block format, with and without the cache, rankings and scores are the same.
func TestEvaluateBlocks(t *testing.T) {
	data, cache, dir := writeFiles(t, zoo), t.TempDir(), writeEncoder(t, "")
	want := evaluated(t, "--model", dir, "--data", data)
	for range 2 {
		for _, form := range []codes.Form{codes.Float32, codes.Float16, codes.Int8} {
			got := evaluated(t, "--model", dir, "--data", data, "--cache", cache, "--dense-blocks", string(form))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", form, got, want)
			}
		}
	}
	verbFails(t, 2, `--dense-blocks: unknown form of blocks "int"; did you mean "int8"?`,
		"evaluate", "--model", dir, "--data", data, "--dense-blocks", "int", "--out", filepath.Join(t.TempDir(), "out"))
}

// Every byte of the weights affects the fingerprint.
func TestFingerprintSeesWeights(t *testing.T) {
	dir := writeEncoder(t, "")
	before, err := catalog.HashModelFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.safetensors")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if after, err := catalog.HashModelFiles(dir); err != nil || after == before {
		t.Errorf("after a flipped bit %s, %v; before %s", after, err, before)
	}
}

// filledCache holds the vectors of two evaluations with each of two models.
func filledCache(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	more := without(map[string]string{"queries.jsonl": `{"_id":"q1","text":"heron"}` + "\n"})
	for _, own := range []string{"", `{"query":"{instruction} {query}"}`} {
		dir := writeEncoder(t, own)
		for _, files := range []map[string]string{zoo, more} {
			evaluated(t, "--model", dir, "--data", writeFiles(t, files), "--cache", cache)
		}
	}
	return cache
}

func segments(t *testing.T, cache, model string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(cache, model, "*.vectors"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestCacheVerifyAndPrune(t *testing.T) {
	cache := filledCache(t)
	models, err := runners.ListCache(cache)
	if err != nil || len(models) != 2 {
		t.Fatalf("models %v, %v; want two", models, err)
	}
	listed := verbOutput(t, "models", "cache", "ls", cache)
	for _, m := range models {
		if !strings.Contains(listed, m.ID) || !strings.Contains(listed, "bert of ") {
			t.Errorf("ls lacks %s: %s", m.ID, listed)
		}
	}
	verbOutput(t, "models", "cache", "verify", cache)
	path := segments(t, cache, models[0].ID)[0]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-9] ^= 4
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	verbFails(t, exitFailure, "1 damaged vectors", "models", "cache", "verify", cache)

	other := segments(t, cache, models[1].ID)
	output := verbOutput(t, "models", "cache", "prune", cache)
	if !strings.Contains(output, "1 damaged dropped") || strings.Count(output, "removed: ") != 4 || !strings.Contains(output, "removed: "+other[0]) {
		t.Errorf("prune says %s", output)
	}
	for _, m := range models {
		if left := segments(t, cache, m.ID); len(left) != 1 {
			t.Errorf("segments of %s after merging: %q", m.ID, left)
		}
	}
	verbOutput(t, "models", "cache", "verify", cache)
}

// Pruning by age removes only the models it names.
func TestCachePruneOlder(t *testing.T) {
	cache := filledCache(t)
	models, err := runners.ListCache(cache)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(cache, models[0].ID)
	long := time.Now().Add(-40 * 24 * time.Hour)
	files, err := os.ReadDir(old)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Chtimes(filepath.Join(old, f.Name()), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if output := verbOutput(t, "models", "cache", "prune", "--older", "50d", cache); strings.Contains(output, "removed, last used") {
		t.Errorf("removed too early: %s", output)
	}
	if output := verbOutput(t, "models", "cache", "prune", "--older", "30d", cache); !strings.Contains(output, models[0].ID+": removed") || strings.Contains(output, models[1].ID+": removed") {
		t.Errorf("prune says %s", output)
	}
	left, err := runners.ListCache(cache)
	if err != nil || len(left) != 1 || left[0].ID != models[1].ID {
		t.Errorf("models left %v, %v", left, err)
	}
	for _, age := range []string{"x", "-1h", "0d", "1.5d"} {
		verbFails(t, usage.ExitUsage, "want a duration such as 12h or 30d", "models", "cache", "prune", "--older="+age, cache)
	}
	verbFails(t, exitFailure, "no such file", "models", "cache", "ls", filepath.Join(cache, "nowhere"))
}
