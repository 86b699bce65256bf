package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/catalog"
	"infbench/bench/cost"
	"infbench/bench/device"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
)

// TestTinyShape: what is counted of a tiny network is what its folder holds.
func TestTinyShape(t *testing.T) {
	for _, name := range []string{"tiny-bert", "tiny-llama"} { // two and three feed-forward matrices
		c := spec.DefaultCell()
		c.Backbone = name
		enc, _, err := catalog.NewBackbone(&c, device.Options{Device: device.GoDevice})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), name)
		if err := enc.Save(folder); err != nil {
			t.Fatal(err)
		}
		got, err := cost.BackboneShape(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cost.BackboneShape(folder)
		if err != nil {
			t.Fatal(err)
		}
		vocabulary := int64(catalog.TinyVocabulary-enc.Config().VocabSize) * int64(got.Width) // not all words of it may be there
		if got.Parameters-vocabulary != want.Parameters {
			t.Errorf("%s: counted %+v, its folder %+v", name, got, want)
		}
		if got.Layers != want.Layers || got.Width != want.Width {
			t.Errorf("%s: %+v, its folder %+v", name, got, want)
		}
	}
}

// TestWorkload counts by hand: one record of 3 words of query, 2 of instruction and
// 4 of each passage is 3 rows of 9 words.
func TestWorkload(t *testing.T) {
	record := `{"instruction_positive":"be kind","instruction_negative":"be cruel","query_positive":"a b c","query_negative":"d e f",` +
		`"document_positive":"1 2 3 4","hard_negative_document_1":"5 6 7 8","hard_negative_document_2":"9 10 11 12"}`
	file := inFile(t, "train.jsonl", record+"\n"+record+"\n")
	w, err := cost.TrainingWork(file, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if w.Asked < 5*cost.TokensPerWord-1e-9 || w.Asked > 5*cost.TokensPerWord+1e-9 {
		t.Errorf("%v tokens a row ask, want %v", w.Asked, 5*cost.TokensPerWord)
	}
	if w.Texts != 6 || w.Length < 9*cost.TokensPerWord-1e-9 || w.Length > 9*cost.TokensPerWord+1e-9 {
		t.Errorf("%+v, want 6 rows of %v tokens", w, 9*cost.TokensPerWord)
	}
	if w, err = cost.TrainingWork(file, 1, 3); err != nil || w.Length != 6 {
		t.Errorf("cut at 3 tokens a side: %+v, %v", w, err)
	}
	b, err := datasets.Load("mini-bright", datasets.Options{World: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cost.BenchmarkWork(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := countBenchmark(b)
	if err != nil {
		t.Fatal(err)
	}
	texts, queries := 0, 0
	for _, c := range counts {
		texts, queries = texts+c.Documents+c.Queries, queries+c.Queries
	}
	if got.Texts != texts || got.Queries != queries || got.Length < 5 || got.Length > 60 {
		t.Errorf("mini-bright: %+v, want %d texts, %d queries", got, texts, queries)
	}
}

// TestPlanEstimates: times come from finished cells of the same network where there
// are any, in proportion to the epochs, else from a measurement, and the plan says
// which.
func TestPlanEstimates(t *testing.T) {
	const source = "name: small\nbase: {train: {rows_per_group: 240}}\nmatrix: {train.epochs: [1, 3]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	file, folder := inFile(t, "small.yaml", source), t.TempDir()
	out := verbOutput(t, "plan", file, "--runs", folder)
	for _, want := range []string{"3 trials, 3 to run; 2 train, 1 are baselines", "this build's speed just now for 3", "disk: ", "are free", "device: go computes", "(tiny-bert)"} {
		if !strings.Contains(out, want) {
			t.Errorf("plan printed\n%s\nwithout %q", out, want)
		}
	}
	plan, err := planFrom(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, seconds := range []float64{0, 60, 10} { // the first is to do: a third of 60 s of training, and 10 s of the rest
		if i == 0 {
			continue
		}
		p := results.Provenance{Seconds: map[string]float64{"total": seconds + 10, "train": seconds}}
		if err := results.Complete(atomicfile.OS{}, runs.TrialDir(filepath.Join(folder, "small"), plan.Trials[i].ID), runs.Settings(&plan.Trials[i]), nil, p); err != nil {
			t.Fatal(err)
		}
	}
	out = verbOutput(t, "plan", file, "--runs", folder)
	if !strings.Contains(out, "time: 20 s to 45 s, one cell after another (from finished cells of this folder for 1)") {
		t.Errorf("with finished cells plan printed\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(folder, "small", runs.PlanFile)); err == nil {
		t.Error("plan froze a plan")
	}
}

func TestPlanDiffVerb(t *testing.T) {
	const source = "name: small\nbase: {train: {lr: 0.001}}\nmatrix: {seed: [1, 2]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	folder := t.TempDir()
	plan, err := planFrom(inFile(t, "small.yaml", source))
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(filepath.Join(folder, "small", runs.PlanFile)); err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("0.001", "0.002", "[1, 2]", "[2, 3]", "[bm25]", "[bm25, constant]").Replace(source)
	out := verbOutput(t, "plan", inFile(t, "changed.yaml", changed), "--runs", folder, "--diff")
	for _, want := range []string{"uni(P) seed=2: train.lr: 0.001 -> 0.002", "+ ", "uni(P) seed=3", "constant", "- " + plan.Trials[0].ID, "2 added, 1 dropped, 1 altered, 1 as before"} {
		if !strings.Contains(out, want) {
			t.Errorf("plan --diff printed\n%s\nwithout %q", out, want)
		}
	}
}
