package export

import (
	"encoding/json"
	"math"
	"path"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/runners/results"
)

// realTasks is a trial on tasks of MAIR, one of two splits, and of BRIGHT.
func realTasks() *results.Experiment {
	t := results.Trial{ID: "0123abcd", State: results.Done, Config: map[string]string{"model": "intfloat/e5-base-v2"}}
	t.Provenance.Benchmarks = []results.Benchmark{
		{Name: "mair", Revision: "m", Groups: map[string][]string{"IFEval/startend__quotation_1": {"Web", "IFEval"}, "IFEval/keywords__existence_7": {"Web", "IFEval"}, "SciFact": {"Academic", "SciFact"}}},
		{Name: "bright", Revision: "b"}, {Name: "bright-long", Revision: "l"}}
	add := func(benchmark, task string, values ...float64) {
		for i, v := range values {
			t.Results = append(t.Results, results.Result{Benchmark: benchmark, Task: task, Query: string(rune('a' + i)), Measure: "nDCG@10", Value: &v})
		}
	}
	add("mair", "IFEval/keywords__existence_7", 1, 0, .5)
	add("mair", "IFEval/startend__quotation_1", .1)
	add("mair", "SciFact", .25)
	add("bright", "earth_science", .75)
	add("bright-long", "pony", .5)
	return &results.Experiment{Name: "real", Trials: []results.Trial{t}}
}

// The export for MTEB names existing tasks and splits; a task of several splits has all of them in
// one file.
func TestTasksThatExist(t *testing.T) {
	got := map[string]map[string]float64{}
	for _, f := range exportedFiles(t, "mteb", realTasks()) {
		if path.Base(f.Name) == "model_meta.json" {
			continue
		}
		var r struct {
			Task   string `json:"task_name"`
			Scores map[string][]struct {
				Main float64 `json:"main_score"`
			}
		}
		if err := json.Unmarshal(f.Data, &r); err != nil || r.Task+".json" != path.Base(f.Name) {
			t.Fatal(err, r.Task, f.Name)
		}
		got[r.Task] = map[string]float64{}
		for split, s := range r.Scores {
			got[r.Task][split] = s[0].Main
		}
	}
	want := map[string]map[string]float64{
		"IFEval": {"keywords__existence_7_queries": .5, "startend__quotation_1_queries": .1}, "SciFact": {"queries": .25},
		"BrightEarthScienceRetrieval": {"standard": .75}, "BrightPonyLongRetrieval": {"long": .5},
	}
	if len(got) != len(want) {
		t.Errorf("tasks %v", got)
	}
	for task, splits := range want {
		for split, v := range splits {
			if x, ok := got[task][split]; !ok || math.Abs(x-v) > 1e-9 || len(got[task]) != len(splits) {
				t.Errorf("%s: %v, want %v", task, got[task], splits)
			}
		}
	}
}

// Model cards have one number for a task, over the queries of all of its splits.
func TestCardsOfSplits(t *testing.T) {
	var list []evalResult
	if err := yaml.Unmarshal(exportedFiles(t, "eval-results", realTasks())[0].Data, &list); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(r evalResult) bool { return r.Dataset.Task == "IFEval" })
	if len(list) != 4 || i < 0 || list[i].Value != 40 || list[i].Dataset.ID != "MAIR-Bench/MAIR-Queries" { // (1 + 0 + .5 + .1)/4
		t.Errorf("%+v", list)
	}
	var index modelIndex
	if err := yaml.Unmarshal(exportedFiles(t, "model-index", realTasks())[0].Data, &index); err != nil {
		t.Fatal(err)
	}
	r := index.Models[0].Results[0]
	if r.Metrics[0].Value != .4 || r.Dataset.Config != "IFEval" || r.Dataset.Split != "keywords__existence_7_queries+startend__quotation_1_queries" {
		t.Errorf("%+v", r)
	}
}
