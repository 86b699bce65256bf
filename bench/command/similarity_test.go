package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// withoutNormalize copies a model's folder without its last module, Normalize.
func withoutNormalize(t *testing.T, folder string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "modules.json")
	var modules []map[string]any
	data, err := os.ReadFile(file)
	if err = errors.Join(err, json.Unmarshal(data, &modules)); err != nil {
		t.Fatal(err)
	}
	last := len(modules) - 1
	if kind := modules[last]["type"]; !strings.HasSuffix(kind.(string), "Normalize") {
		t.Fatalf("the last module is %v", kind)
	}
	data, err = json.Marshal(modules[:last])
	if err = errors.Join(err, os.WriteFile(file, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDotLeavesNormalizeOut: the inner products of a folder with a Normalize module are those
// of the same folder without it, even with a cache that also has the vectors for cosine.
func TestDotLeavesNormalizeOut(t *testing.T) {
	folder := writeEncoder(t, "")
	raw, cache := withoutNormalize(t, folder), t.TempDir()
	evaluate := func(model string, more ...string) *results.Trial {
		out := filepath.Join(t.TempDir(), "out")
		verbOutput(t, append([]string{"evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--cache", cache, "--out", out}, more...)...)
		return trialOf(t, out, "")
	}
	cosine, dot := evaluate(folder), evaluate(folder, "--similarity", "dot")
	if len(results.Differ(cosine.Results, dot.Results)) == 0 {
		t.Error("dot and cosine rank alike: the test shows nothing")
	}
	if differ := results.Differ(evaluate(raw, "--similarity", "dot").Results, dot.Results); len(differ) > 0 {
		t.Errorf("with and without a Normalize module: %s", differ[0])
	}
	if differ := results.Differ(evaluate(folder).Results, cosine.Results); len(differ) > 0 {
		t.Errorf("by cosine again: %s", differ[0])
	}
	if dot.Config[results.Similarity] != "dot" || cosine.Config[results.Similarity] != "" {
		t.Errorf("similarities %q and %q", dot.Config[results.Similarity], cosine.Config[results.Similarity])
	}
	verbFails(t, usage.ExitUsage, "--dims 8 normalises", "evaluate", "--model", folder, "--data", "mini-bright", "--similarity", "dot", "--dims", "8")
}

// TestSimilarityOfCells: a sweep ranks trained cells, untrained backbones and folders by
// inner products as evaluate does, trains one model for both similarities, and keeps the IDs
// of cells without a similarity setting.
func TestSimilarityOfCells(t *testing.T) {
	folder := writeEncoder(t, "")
	t.Chdir(t.TempDir())
	const head = "name: NAME\nbase: {backbone: FOLDER, train: {epochs: 1, rows_per_group: 240}}\nbaselines: [untrained, {model: FOLDER, similarity: dot}]\nevaluate: [{mini-bright: [nature]}]\n"
	sweep := func(name, more string) *results.Experiment {
		verbOutput(t, "sweep", inFile(t, name+".yaml", strings.NewReplacer("NAME", name, "FOLDER", folder).Replace(head)+more))
		exp, err := runs.At("runs/" + name).Reader().Load()
		if err != nil {
			t.Fatal(err)
		}
		return exp
	}
	both, plain := sweep("both", "matrix: {similarity: [cosine, dot]}\n"), sweep("plain", "")
	find := func(exp *results.Experiment, model, similarity string) *results.Trial {
		for i := range exp.Trials {
			if c := exp.Trials[i].Config; (c[results.Model] == model && (c[results.Loss] != "") == (model == "trained") || model == "trained" && c[results.Loss] != "") && c[results.Similarity] == similarity {
				return &exp.Trials[i]
			}
		}
		t.Fatalf("no %s by %q in %s", model, similarity, exp.Dir)
		return nil
	}
	for _, model := range []string{"trained", "untrained"} {
		cosine, dot := find(both, model, ""), find(both, model, "dot")
		if differ := results.Differ(cosine.Results, dot.Results); len(differ) == 0 {
			t.Errorf("%s: dot and cosine rank alike", model)
		}
		if was := find(plain, model, ""); was.ID != cosine.ID {
			t.Errorf("%s: ID %s by cosine, %s by default", model, cosine.ID, was.ID)
		}
	}
	cosine, dot := find(both, "trained", ""), find(both, "trained", "dot")
	weights := func(trial *results.Trial) []byte {
		data, err := os.ReadFile(filepath.Join("runs", "both", "trials", trial.ID, "model", "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(weights(cosine), weights(dot)) {
		t.Error("the similarity of evaluation changed training")
	}
	verbOutput(t, "evaluate", "--model", "runs/both/trials/"+cosine.ID+"/model", "--similarity", "dot", "--data", "mini-bright", "--task", "nature", "--out", "alone")
	if differ := results.Differ(trialOf(t, "alone", "").Results, dot.Results); len(differ) > 0 {
		t.Errorf("evaluate and sweep: %s", differ[0])
	}
	for _, c := range []struct {
		args []string
		want *results.Trial
	}{
		{nil, dot},
		{[]string{"--similarity", "cosine"}, cosine},
	} {
		out := t.TempDir()
		verbOutput(t, append([]string{"evaluate", "--model", "runs/both:" + dot.ID, "--data", "mini-bright", "--task", "nature", "--out", filepath.Join(out, "x")}, c.args...)...)
		got := trialOf(t, filepath.Join(out, "x"), "")
		if differ := results.Differ(got.Results, c.want.Results); len(differ) > 0 || got.Config[results.Similarity] != c.want.Config[results.Similarity] {
			t.Errorf("the trained system with %q: similarity %q, %v", c.args, got.Config[results.Similarity], differ)
		}
	}
	verbOutput(t, "evaluate", "--model", folder, "--similarity", "dot", "--data", "mini-bright", "--task", "nature", "--out", "folder")
	for i := range both.Trials {
		if trial := &both.Trials[i]; trial.Config[results.Model] == folder && trial.Config[results.Loss] == "" {
			if !reflect.DeepEqual(results.Differ(trialOf(t, "folder", "").Results, trial.Results), []string(nil)) {
				t.Error("a folder in a sweep and in evaluate rank differently")
			}
		}
	}
	if out := verbOutput(t, "verify", "runs/both"); !strings.Contains(out, " 0 differences") {
		t.Error(out)
	}
}

// TestSimilarityThatChangesNothing checks the note that the similarity changes nothing.
func TestSimilarityThatChangesNothing(t *testing.T) {
	folder, raw := writeEncoder(t, ""), writeEncoder(t, `{"normalize": false}`)
	for _, c := range []struct {
		model, similarity string
		says              bool
	}{
		{folder, "dot", false}, {folder, "cosine", true}, {raw, "dot", false}, {"bm25", "dot", true}, {"random", "cosine", true},
	} {
		out := verbOutput(t, "evaluate", "--model", c.model, "--similarity", c.similarity, "--data", "mini-bright", "--task", "nature", "--out", filepath.Join(t.TempDir(), "out"))
		if strings.Contains(out, "similarity "+c.similarity+" changes nothing") != c.says {
			t.Errorf("--model %s --similarity %s:\n%s", c.model, c.similarity, out)
		}
	}
}

// TestSystemIsEvaluatedAsSwept: RUN:SYSTEM is evaluated in the precision and vector width of
// its sweep, unless flags override them.
func TestSystemIsEvaluatedAsSwept(t *testing.T) {
	t.Chdir(t.TempDir())
	verbOutput(t, "sweep", inFile(t, "cut.yaml", "name: cut\nbase: {backbone: tiny-bert, dims: 8, precision: bf16, train: {steps: 2, rows_per_group: 6}}\nmatrix: {loss: [uni:P]}\nevaluate: [{mini-bright: [nature]}]\n"))
	exp, err := runs.At("runs/cut").Reader().Load()
	if err != nil {
		t.Fatal(err)
	}
	swept := &exp.Trials[0]
	evaluate := func(model string, more ...string) *results.Trial {
		out := filepath.Join(t.TempDir(), "x")
		verbOutput(t, append([]string{"evaluate", "--model", model, "--data", "mini-bright", "--task", "nature", "--out", out}, more...)...)
		return trialOf(t, out, "")
	}
	folder := "runs/cut/trials/" + swept.ID + "/model"
	for _, c := range []struct {
		args            []string
		dims, precision string
		as              *results.Trial
	}{
		{nil, "8", "bf16", swept},
		{[]string{"--dims", "4"}, "4", "bf16", evaluate(folder, "--dims", "4", "--precision", "bf16")},
		{[]string{"--precision", "float32"}, "8", "", evaluate(folder, "--dims", "8")},
	} {
		got := evaluate("runs/cut:"+swept.ID, c.args...)
		if got.Config[results.CutTo] != c.dims || got.Config[results.EvaluatedIn] != c.precision {
			t.Errorf("%q: dims %q, precision %q", c.args, got.Config[results.CutTo], got.Config[results.EvaluatedIn])
		}
		if differ := results.Differ(got.Results, c.as.Results); len(differ) > 0 {
			t.Errorf("%q: %s", c.args, differ[0])
		}
	}
}
