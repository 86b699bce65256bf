package command

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/runners/results"
)

// lines decodes a file of JSON lines.
func lines[T any](t *testing.T, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var item T
		if err := d.Decode(&item); err != nil {
			t.Fatal(err)
		}
		out = append(out, item)
	}
	return out
}

// Held-out queries choose the weights at the end of training, and files record that; an
// adapter is left next to the merged model.
func TestTrainValidatesAndAdapts(t *testing.T) {
	file := inFile(t, "v.yaml", `
name: v
base:
  train: {epochs: 2, rows_per_group: 240, lr: 5e-3, evaluate_every: 4, lora: {r: 4, alpha: 8}}
  validate: {measure: nDCG@10, queries: 30}
evaluate: [mini-bright]
`)
	out := filepath.Join(t.TempDir(), "out")
	printed := verbOutput(t, "train", file, "--out", out, "--memory", "1GiB")
	for _, name := range []string{results.ModelDir, results.AdapterDir, results.ValidationFile, results.EvaluationsFile} {
		if !strings.Contains(printed, filepath.Join(out, name)) {
			t.Errorf("%s is not named in %q", name, printed)
		}
	}
	for _, name := range []string{"adapter_config.json", "adapter_model.safetensors"} {
		if _, err := os.Stat(filepath.Join(out, results.AdapterDir, name)); err != nil {
			t.Error(err)
		}
	}
	evaluations := lines[results.Evaluation](t, filepath.Join(out, results.EvaluationsFile))
	best := slices.IndexFunc(evaluations, func(e results.Evaluation) bool { return e.Best })
	if len(evaluations) < 3 || best < 0 {
		t.Fatalf("evaluations %+v", evaluations)
	}
	for _, e := range evaluations {
		if e.Value > evaluations[best].Value {
			t.Errorf("step %d is better than the best, step %d", e.Step, evaluations[best].Step)
		}
	}
	// The value of the final weights is that of the best evaluation.
	byside := map[datasets.Side][]results.Result{}
	for _, r := range lines[results.Result](t, filepath.Join(out, results.ValidationFile)) {
		byside[r.Side] = append(byside[r.Side], r)
	}
	original, n := results.Mean(byside[datasets.Original])
	changed, m := results.Mean(byside[datasets.Changed])
	if got := (original + changed) / 2; n != 30 || m != 30 || math.Abs(got-evaluations[best].Value) > 1e-12 {
		t.Errorf("validation says %v over %d and %d queries, evaluation %v", got, n, m, evaluations[best].Value)
	}
}

// Held-out queries judge vectors of the tested width; training is the same.
func TestValidationIsOfTheTestedWidth(t *testing.T) {
	t.Chdir(t.TempDir())
	curves, values := map[string]string{}, map[string]string{}
	for _, dims := range []string{"0", "2"} {
		file := inFile(t, "x.yaml", `name: x
base:
  data: mini-infir-20
  backbone: tiny-bert
  train: {epochs: 1, lr: 5e-3, evaluate_every: 2}
  validate: {data: mini-bright, measure: nDCG@10, queries: 10}
evaluate: [mini-followir]
`)
		verbOutput(t, "train", file, "--set", "dims="+dims, "--out", dims)
		for name, of := range map[string]map[string]string{"train.jsonl": curves, "evaluations.jsonl": values} {
			data, err := os.ReadFile(filepath.Join(dims, name))
			if err != nil {
				t.Fatal(err)
			}
			of[dims] = string(data)
		}
	}
	if curves["0"] != curves["2"] || values["0"] == values["2"] {
		t.Errorf("of all values:\n%sof two:\n%s", values["0"], values["2"])
	}
}
