package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/runners/results"
)

// TestBareSparse: a masked language model without modules.json runs as an encoder, with a warning
// that names both readings. Flag, infbench.json and a baseline's key read it as SPLADE, with the
// results of the folder that has modules.json.
func TestBareSparse(t *testing.T) {
	layout := testkit.SharedPath(t, "goldens-beyond", "splade_bert")
	dir := filepath.Join(t.TempDir(), "bare")
	if err := os.CopyFS(dir, os.DirFS(layout)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	data := writeFiles(t, map[string]string{
		"corpus.jsonl": `{"_id":"d1","text":"w1 w2 w3"}` + "\n" + `{"_id":"d2","text":"w4 w5 , w6"}` + "\n" + `{"_id":"d3","text":"w57 w43 w7"}` + "\n" +
			`{"_id":"d4","text":"w31 , w13 ! w34 . w22"}` + "\n" + `{"_id":"d5","text":"w50"}` + "\n" + `{"_id":"d6","text":"w20 w21 ? w22 w23 w24"}` + "\n",
		"queries.jsonl":  `{"_id":"q1","text":"w7 w57 w43"}` + "\n" + `{"_id":"q2","text":"w22 w13"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t2\nq2\td6\t1\n",
	})
	const warning = "it is read as an encoder, by the mean of the states of its tokens; similarity sparse reads it as a sparse model (SPLADE)"
	if out := checked(t, exitOK, dir); !strings.Contains(out, warning) {
		t.Errorf("models check does not name both readings:\n%s", out)
	}
	evaluate := func(warned bool, model string, more ...string) *results.Trial {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"evaluate", "--model", model, "--data", data, "--out", out}, more...), &stdout, &stderr); code != exitOK {
			t.Fatalf("%s %v: exit %d, %s", model, more, code, stderr.String())
		}
		if got := strings.Contains(stdout.String()+stderr.String(), warning); got != warned {
			t.Errorf("%s %v: warned %t, want %t:\n%s", model, more, got, warned, stderr.String())
		}
		return trialOf(t, out, "")
	}
	want, plain := evaluate(false, layout), evaluate(true, dir)
	if len(results.Differ(want.Results, plain.Results)) == 0 {
		t.Error("both readings rank alike: the test shows nothing")
	}
	if differ := results.Differ(evaluate(false, dir, "--similarity", "cosine").Results, plain.Results); len(differ) > 0 {
		t.Errorf("by cosine: %s", differ[0])
	}
	sparse := evaluate(false, dir, "--similarity", "sparse")
	if differ := results.Differ(sparse.Results, want.Results); len(differ) > 0 || sparse.Config[results.Similarity] != "sparse" {
		t.Errorf("by the flag: %v, similarity %q", differ, sparse.Config[results.Similarity])
	}
	if again := evaluate(false, layout, "--similarity", "sparse"); again.Config[results.Similarity] != want.Config[results.Similarity] {
		t.Errorf("a flag without effect is recorded as %q, want %q", again.Config[results.Similarity], want.Config[results.Similarity])
	}
	for name, wrong := range map[string]string{"bert": "missing tensors: cls.predictions", "modernbert": "a sparse model of model_type modernbert is not supported (known: bert, distilbert)"} {
		verbFails(t, exitFailure, wrong, "evaluate", "--model", goldenModel(t, name, nil), "--similarity", "sparse", "--data", data, "--out", filepath.Join(t.TempDir(), "out"))
	}

	t.Chdir(t.TempDir())
	verbOutput(t, "sweep", inFile(t, "x.yaml", "name: x\nbaselines: [{model: "+dir+", similarity: sparse}]\nevaluate: ["+data+"]\n"))
	if differ := results.Differ(trialOf(t, "runs/x", "").Results, want.Results); len(differ) > 0 {
		t.Errorf("by the key of a baseline: %s", differ[0])
	}
	if err := os.WriteFile(filepath.Join(dir, "infbench.json"), []byte(`{"similarity": "sparse"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if differ := results.Differ(evaluate(false, dir).Results, want.Results); len(differ) > 0 {
		t.Errorf("by infbench.json: %s", differ[0])
	}
}
