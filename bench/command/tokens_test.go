package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// tokenGolden has the scores of PyLate or sentence-transformers for the texts in a folder of
// shared goldens-today: one for each query and document.
type tokenGolden struct {
	Queries, Documents []struct{ Text string }
	MaxSim             [][]float64
	Padded             [][]float64 `json:"maxsim_pylate_rerank"`
	Scores             [][]float64 // of sparse models
}

// eachTokenGolden calls check for every folder of a late-interaction model ("late_interaction")
// or a sparse one ("retrieval"), with its texts as a collection.
func eachTokenGolden(t *testing.T, key string, check func(t *testing.T, dir, data string, golden tokenGolden)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testkit.SharedPath(t, "goldens-today"), "*", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(content, &keys); err != nil {
			t.Fatal(err)
		}
		if keys[key] == nil {
			continue
		}
		found++
		var golden tokenGolden
		if err := json.Unmarshal(keys[key], &golden); err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) { check(t, filepath.Dir(file), collectionOf(t, golden), golden) })
	}
	if found == 0 {
		t.Fatalf("no folder of %d has %s", len(files), key)
	}
}

// collectionOf writes the texts of a golden in BEIR's layout: q0, q1, ... and d0, d1, ...
func collectionOf(t *testing.T, golden tokenGolden) string {
	t.Helper()
	var corpus, queries, qrels strings.Builder
	qrels.WriteString("query-id\tcorpus-id\tscore\n")
	for i, d := range golden.Documents {
		fmt.Fprintf(&corpus, `{"_id":"d%d","title":"","text":%q}`+"\n", i, d.Text)
	}
	for i, q := range golden.Queries {
		fmt.Fprintf(&queries, `{"_id":"q%d","text":%q}`+"\n", i, q.Text)
		fmt.Fprintf(&qrels, "q%d\td0\t1\n", i)
	}
	return writeFiles(t, map[string]string{"corpus.jsonl": corpus.String(), "queries.jsonl": queries.String(), "qrels/test.tsv": qrels.String()})
}

// checkScored compares the scores of a run with a golden's.
func checkScored(t *testing.T, run trec.Run, want [][]float64, tolerance float64) {
	t.Helper()
	for i := range want {
		hits := run[fmt.Sprintf("q%d", i)]
		if len(hits) == 0 {
			t.Errorf("query %d has no ranking", i)
		}
		for _, h := range hits {
			var doc int
			if _, err := fmt.Sscanf(h.Doc, "d%d", &doc); err != nil {
				t.Fatal(err)
			}
			if !(math.Abs(h.Score-want[i][doc]) <= tolerance) {
				t.Errorf("query %d, %s: score %g, want %g", i, h.Doc, h.Score, want[i][doc])
			}
		}
	}
}

// evaluate ranks by late interaction with PyLate's scores, alone and after a first stage,
// with a cache and without; the error from storage is measured and is in provenance.
func TestEvaluateLateInteraction(t *testing.T) {
	eachTokenGolden(t, "late_interaction", func(t *testing.T, dir, data string, golden tokenGolden) {
		exact := evaluated(t, "--model", dir, "--data", data)["test"]
		checkScored(t, exact, golden.MaxSim, 2e-5)
		out, cache := filepath.Join(t.TempDir(), "out"), t.TempDir()
		for range 2 {
			verbOutput(t, "evaluate", "--model", dir, "--data", data, "--storage", "int8", "--cache", cache, "--out", out)
			checkScored(t, savedRuns(t, out)["test"], golden.MaxSim, 0.3)
		}
		var got results.Trial
		if err := results.At(out).Reader().Trial(&got); err != nil {
			t.Fatal(err)
		}
		if d := got.Provenance.Deviations; len(d) != 1 || d[0].Precision != "vectors stored in int8" || !(d[0].Max > 0) || got.Config[results.Storage] != "int8" {
			t.Errorf("deviations %+v, config %v", d, got.Config)
		}
		if r := got.Provenance.Readings; len(r) != 1 || !strings.Contains(r[0], "maxsim of vectors of") || !strings.Contains(r[0], "stored in int8") {
			t.Errorf("readings %q", r)
		}
		verbFails(t, usage.ExitUsage, "unknown similarity of late interaction", "evaluate", "--model", dir, "--data", data, "--similarity", "dot")
	})
}

// evaluate ranks by sparse weights with the scores of sentence-transformers.
func TestEvaluateSparse(t *testing.T) {
	eachTokenGolden(t, "retrieval", func(t *testing.T, dir, data string, golden tokenGolden) {
		cache := t.TempDir()
		for range 2 {
			run := evaluated(t, "--model", dir, "--data", data, "--cache", cache)["test"]
			checkScored(t, run, golden.Scores, 1e-4)
		}
		verbFails(t, usage.ExitUsage, "its scores are inner products", "evaluate", "--model", dir, "--data", data, "--similarity", "cosine")
		verbFails(t, usage.ExitUsage, "unknown similarity \"max\" (known: cosine, dot, maxsim, maxsim-padded, sparse)", "evaluate", "--model", dir, "--data", data, "--similarity", "max")
		for _, model := range []string{dir, "bm25"} {
			verbFails(t, usage.ExitUsage, "--storage int8: "+model+" has no token vectors", "evaluate", "--model", model, "--data", data, "--storage", "int8")
		}
	})
}

// An experiment accepts both kinds as baselines, by their folders, late interaction also
// after a first stage; neither is a backbone.
func TestSweepTokens(t *testing.T) {
	late, sparse := disk.RealPath(testkit.SharedPath(t, "goldens-today/colbert_modernbert")), disk.RealPath(testkit.SharedPath(t, "goldens-today/splade_doc_idf"))
	eachTokenGolden(t, "late_interaction", func(t *testing.T, dir, data string, golden tokenGolden) {
		if disk.RealPath(dir) != late {
			t.Skip("one folder is enough")
		}
		data = absolute(t, data)
		t.Chdir(t.TempDir())
		write := func(text string) {
			if err := os.WriteFile("tokens.yaml", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(fmt.Sprintf("name: tokens\nbase: {train: {epochs: 1}}\nbaselines: [%s, {rerank: %s, first: bm25, depth: 2, storage: int8}, %s]\nevaluate: [%s]\n", late, late, sparse, data))
		printed := verbOutput(t, "sweep", "tokens.yaml")
		for _, want := range []string{filepath.Base(late), filepath.Base(sparse), "first=bm25", "storage=int8", "was evaluated in vectors stored in int8"} {
			if !strings.Contains(printed, want) {
				t.Errorf("the report lacks %q:\n%s", want, printed)
			}
		}
		for dir, want := range map[string]string{late: "is a late-interaction model, which infbench cannot train", sparse: "is a sparse model, which infbench cannot train"} {
			write(fmt.Sprintf("name: trained\nbase: {data: mini-infir, backbone: %s}\nmatrix: {loss: [uni(P)]}\nevaluate: [mini-bright]\n", dir))
			verbFails(t, usage.ExitUsage, want, "sweep", "tokens.yaml")
		}
	})
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}
