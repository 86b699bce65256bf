package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"infbench/datasets"
	"infbench/internal/testkit/reportstest"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/published"
	"infbench/runners/results"
)

func exportedFiles(t *testing.T, format string, exps ...*results.Experiment) []File {
	t.Helper()
	files, _, err := Export(format, exps, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := Export(format, exps, reports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if !bytes.Equal(f.Data, again[i].Data) || f.Name != again[i].Name {
			t.Errorf("%s: %s is not the same twice", format, f.Name)
		}
		if !filepath.IsLocal(f.Name) || strings.Trim(f.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") != "" {
			t.Errorf("%s: file name %q", format, f.Name)
		}
	}
	return files
}

// followIR is a model on the three tasks of FollowIR, under the given name of the benchmark.
func followIR(benchmark string) *results.Experiment {
	t := results.Trial{ID: "0123abcd", State: results.Done, Config: map[string]string{"model": "intfloat/e5-base-v2"}, Parameters: 109482240}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: benchmark, Revision: "67d8733d"}}
	for task, v := range map[string]float64{"core17": -0.0204384, "news21": 0.0312345, "robust04": 0.1} {
		add := func(side datasets.Side, measure string, value float64) {
			for i, shift := range []float64{-0.125, 0.125} {
				x := value + shift
				t.Results = append(t.Results, results.Result{Benchmark: benchmark, Task: task, Query: string(rune('a' + i)), Side: side, Measure: measure, Value: &x})
			}
		}
		add(datasets.None, "p-MRR", v)
		add(datasets.Original, "AP@1000", 0.4+v)
		add(datasets.Original, "nDCG@5", 0.5+v)
		add(datasets.Changed, "nDCG@5", 0.3+v)
		add(datasets.Original, "infAP", 0.3)
	}
	return &results.Experiment{Name: "followir", Trials: []results.Trial{t}}
}

// TestExportMTEB reads the export with the reader of MTEB's repository: every number must come back
// with its convention.
func TestExportMTEB(t *testing.T) {
	for benchmark, qrels := range map[string]string{"followir": "original", "followir-mteb1": "changed"} {
		dir := t.TempDir()
		for _, f := range exportedFiles(t, "mteb", followIR(benchmark)) {
			path := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c, err := published.ReadMTEB(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Missing) > 0 || len(c.Cells) != 12 || c.Files != 3 {
			t.Errorf("%s: %d files, %d cells, missing %v", benchmark, c.Files, len(c.Cells), c.Missing)
		}
		for _, cell := range c.Cells {
			v := map[string]float64{"Core17InstructionRetrieval": -0.0204384, "News21InstructionRetrieval": 0.0312345, "Robust04InstructionRetrieval": 0.1}[cell.Task]
			want := v + map[string]float64{"p-MRR": 0, "AP@1000original": 0.4, "nDCG@5original": 0.5, "nDCG@5changed": 0.3}[cell.Measure+cell.Side]
			if math.Abs(cell.Value-want) > 5.1e-7 || cell.Model != "intfloat/e5-base-v2" || cell.Revision != "0123abcd" {
				t.Errorf("%+v, want %v", cell, want)
			}
			if cell.Side == "original" && cell.Conventions.Qrels != qrels {
				t.Errorf("%s: qrels %q, want %q", benchmark, cell.Conventions.Qrels, qrels)
			}
		}
	}
	_, warnings, err := Export("mteb", []*results.Experiment{followIR("followir")}, reports.Options{})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "infAP") {
		t.Errorf("%v %v", warnings, err)
	}
}

// TestExportMTEBKeys checks the files against the keys that mteb 2.20 requires and allows
// (TaskResult and ModelMeta).
func TestExportMTEBKeys(t *testing.T) {
	allowed := strings.Fields(`loader loader_kwargs name revision release_date languages n_parameters n_active_parameters_override
		n_embedding_parameters memory_usage_mb max_tokens embed_dim license open_weights public_training_code public_training_data
		framework reference similarity_fn_name use_instructions training_datasets adapted_from superseded_by modalities model_type
		citation contacts experiment_kwargs output_dtypes extra_requirements_groups is_cross_encoder`)
	for _, f := range exportedFiles(t, "mteb", reportstest.HostileExperiment()) {
		var object map[string]any
		if err := json.Unmarshal(f.Data, &object); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/model_meta.json") {
			slices.Sort(allowed)
			if got := words.SortedKeys(object); !slices.Equal(got, allowed) {
				t.Errorf("%s: keys %v", f.Name, got)
			}
			continue
		}
		for _, key := range []string{"dataset_revision", "task_name", "mteb_version", "scores", "evaluation_time"} {
			if _, ok := object[key]; !ok {
				t.Errorf("%s lacks %s", f.Name, key)
			}
		}
		score := object["scores"].(map[string]any)["test"].([]any)[0].(map[string]any)
		for _, key := range []string{"main_score", "hf_subset", "languages"} {
			if _, ok := score[key]; !ok {
				t.Errorf("%s lacks %s", f.Name, key)
			}
		}
	}
}

func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func TestExportJSON(t *testing.T) {
	s := schema(t)
	e := reportstest.HostileExperiment()
	reportstest.Fail(e, "multi(P,I,IQ)", reportstest.Hostile[0])
	e.Trials[0].Results[0].Value = nil
	stopped := &results.Experiment{Name: "stopped", Trials: []results.Trial{{ID: "1", State: results.Stopped, Error: "hopeless"}}}
	for _, exp := range []*results.Experiment{e, followIR("followir"), reportstest.OneSystem()[0], withAggregates(), stopped} {
		files := exportedFiles(t, "json", exp)
		var doc any
		if err := json.Unmarshal(files[0].Data, &doc); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", exp.Name, err)
		}
	}
	for _, bad := range []string{`{}`, `{"format":"infbench-results/2","trials":[]}`, `{"format":"infbench-results/1","trials":[{}]}`, `{"format":"infbench-results/1","trials":[],"x":1}`} {
		var doc any
		if err := json.Unmarshal([]byte(bad), &doc); err != nil {
			t.Fatal(err)
		}
		if s.Validate(doc) == nil {
			t.Errorf("the schema lets %s pass", bad)
		}
	}
}

func TestExportCards(t *testing.T) {
	var index modelIndex
	files := exportedFiles(t, "model-index", followIR("followir"))
	if err := yaml.Unmarshal(files[0].Data, &index); err != nil {
		t.Fatal(err)
	}
	if files[0].Name != "intfloat__e5-base-v2.0123abcd.model-index.yaml" || len(index.Models) != 1 || index.Models[0].Name != "intfloat/e5-base-v2" || len(index.Models[0].Results) != 3 {
		t.Fatalf("%s: %+v", files[0].Name, index)
	}
	i := slices.IndexFunc(index.Models[0].Results, func(r indexedResult) bool { return r.Dataset.Type == "mteb/Core17InstructionRetrieval" })
	r := index.Models[0].Results[i]
	if r.Task.Type != "text-ranking" || r.Dataset.Name != "Core17InstructionRetrieval (default)" || r.Dataset.Revision != "67d8733d" ||
		r.Metrics[0] != (indexedMetric{"p-MRR", -0.020438, "p-MRR"}) {
		t.Errorf("%+v", r)
	}
	var list []evalResult
	if err := yaml.Unmarshal(exportedFiles(t, "eval-results", followIR("followir"))[0].Data, &list); err != nil {
		t.Fatal(err)
	}
	i = slices.IndexFunc(list, func(r evalResult) bool { return r.Dataset.Task == "Core17InstructionRetrieval_default_test" })
	if list[i].Value != -2.04384 || list[i].Dataset.ID != "mteb/Core17InstructionRetrieval" {
		t.Errorf("%+v", list[i])
	}
	for _, format := range []string{"model-index", "eval-results"} {
		for _, f := range exportedFiles(t, format, reportstest.HostileExperiment()) {
			var any any
			if err := yaml.Unmarshal(f.Data, &any); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if strings.Contains(string(f.Data), "source:") { // huggingface_hub 2.4 refuses a source without an address
				t.Errorf("%s names a source:\n%s", f.Name, f.Data)
			}
		}
	}
}

func TestExportCSV(t *testing.T) {
	e := reportstest.HostileExperiment()
	lines, err := csv.NewReader(bytes.NewReader(exportedFiles(t, "csv", e)[0].Data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := 0
	for _, tr := range e.Trials {
		values += len(tr.Results)
	}
	if len(lines) != values+1 {
		t.Errorf("%d lines for %d values", len(lines), values)
	}
	for _, line := range lines {
		for j, cell := range line[:9] {
			if strings.IndexAny(cell, "=+-@") == 0 {
				t.Fatalf("cell %d is a formula: %q", j, cell)
			}
		}
	}
}

func TestExportLaTeX(t *testing.T) {
	e := &results.Experiment{Name: "small"}
	for i, model := range []string{"untrained", "better_%", "worse", "same"} {
		mean := []float64{0.5, 0.6, 0.4, 0.5}[i]
		e.Trials = append(e.Trials, reportstest.SmallTrial(model, reportstest.Spread(mean, 0.05, 10)...))
	}
	text := string(exportedFiles(t, "latex", e)[0].Data)
	for _, want := range []string{`better\_\% & \textbf{60.0}$^{\blacktriangle}$`, `worse & 40.0$^{\triangledown}$`, "same & 50.0 ", `\toprule`, "Holm-corrected"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
