package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/training/encoder"
)

// TestTinyShape: what is counted of a tiny network is what its folder holds, but
// for biases, norms and positions, a twentieth at most.
func TestTinyShape(t *testing.T) {
	for _, name := range []string{"tiny-bert", "tiny-llama"} { // two and three feed-forward matrices
		c := spec.DefaultCell()
		c.Backbone = name
		enc, _, err := newBackbone(&c, machineOptions{device: goDevice})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), name)
		if err := enc.Save(folder); err != nil {
			t.Fatal(err)
		}
		got, err := backboneShape(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := backboneShape(folder)
		if err != nil {
			t.Fatal(err)
		}
		vocabulary := int64(tinyVocabulary-enc.Config().VocabSize) * int64(got.width) // not all words of it may be there
		if off := float64(want.parameters-(got.parameters-vocabulary)) / float64(want.parameters); off < 0 || off > 0.1 {
			t.Errorf("%s: counted %+v, its folder %+v: %.3f off", name, got, want, off)
		}
		if got.layers != want.layers || got.width != want.width {
			t.Errorf("%s: %+v, its folder %+v", name, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"149M": 149e6, "1.5B": 1.5e9, "3B": 3e9, "": 0, "big": 0, "-1B": 0, "1e3": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		if _, err := parseSize(c.Size); err != nil && c.Size != "" && c.Kind == "encoder" {
			t.Errorf("card %s: %v", c.Name, err)
		}
	}
}

// TestWorkload counts by hand: one record of 3 words of query, 2 of instruction and
// 4 of each passage is 3 rows of 9 words.
func TestWorkload(t *testing.T) {
	record := `{"instruction_positive":"be kind","instruction_negative":"be cruel","query_positive":"a b c","query_negative":"d e f",` +
		`"document_positive":"1 2 3 4","hard_negative_document_1":"5 6 7 8","hard_negative_document_2":"9 10 11 12"}`
	file := inFile(t, "train.jsonl", record+"\n"+record+"\n")
	w, err := trainingWork(file, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if w.asked < 5*tokensPerWord-1e-9 || w.asked > 5*tokensPerWord+1e-9 {
		t.Errorf("%v tokens a row ask, want %v", w.asked, 5*tokensPerWord)
	}
	if w.texts != 6 || w.length < 9*tokensPerWord-1e-9 || w.length > 9*tokensPerWord+1e-9 {
		t.Errorf("%+v, want 6 rows of %v tokens", w, 9*tokensPerWord)
	}
	if w, err = trainingWork(file, 1, 3); err != nil || w.length != 6 {
		t.Errorf("cut at 3 tokens a side: %+v, %v", w, err)
	}
	b, err := datasets.Load("mini-bright", datasets.Options{World: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := benchmarkWork(b, 0)
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
	if got.texts != texts || got.queries != queries || got.length < 5 || got.length > 60 {
		t.Errorf("mini-bright: %+v, want %d texts, %d queries", got, texts, queries)
	}
}

// TestPlanEstimates: times come from finished cells of the same network where there
// are any, in proportion to the epochs, else from a measurement, and the plan says
// which.
func TestPlanEstimates(t *testing.T) {
	const source = "name: small\nbase: {train: {rows_per_group: 240}}\nmatrix: {train.epochs: [1, 3]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	file, runs := inFile(t, "small.yaml", source), t.TempDir()
	out := verbOutput(t, "plan", file, "--runs", runs)
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
		if err := results.Complete(atomicfile.OS{}, trialDir(filepath.Join(runs, "small"), plan.Trials[i].ID), settings(&plan.Trials[i]), nil, p); err != nil {
			t.Fatal(err)
		}
	}
	out = verbOutput(t, "plan", file, "--runs", runs)
	if !strings.Contains(out, "time: 20 s to 45 s, one cell after another (from finished cells of this folder for 1)") {
		t.Errorf("with finished cells plan printed\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(runs, "small", planFile)); err == nil {
		t.Error("plan froze a plan")
	}
}

// A loss with instruction terms embeds pairs in the square of the rows: a step of
// uni(I) on 240 rows of tiny-bert was measured at 6.6 GB, one of uni(P) at .17 GB,
// both with the process around it (speed.jsonl of two such cells).
func TestMemoryOfInstructionTerms(t *testing.T) {
	s, err := backboneShape("tiny-bert")
	if err != nil {
		t.Fatal(err)
	}
	c := spec.DefaultCell()
	c.Train.RowsPerGroup, c.Train.Groups = 240, 1
	for loss, measured := range map[string]float64{"uni(P)": .17e9, "uni(I)": 6.6e9} {
		c.Loss = loss
		if m := deviceBytes(&c, s); m.low > measured || m.high < measured/2 || m.high > 4*measured {
			t.Errorf("%s: %.2g to %.2g bytes, measured %.2g", loss, m.low, m.high, measured)
		}
	}
	p, i := c, c
	p.Loss, i.Loss = "uni(P)", "uni(I)"
	if likeness(&p) == likeness(&i) {
		t.Error("the time of uni(P) is taken to tell that of uni(I)")
	}
}

func TestPlanDiffVerb(t *testing.T) {
	const source = "name: small\nbase: {train: {lr: 0.001}}\nmatrix: {seed: [1, 2]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	runs := t.TempDir()
	plan, err := planFrom(inFile(t, "small.yaml", source))
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(filepath.Join(runs, "small", planFile)); err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("0.001", "0.002", "[1, 2]", "[2, 3]", "[bm25]", "[bm25, constant]").Replace(source)
	out := verbOutput(t, "plan", inFile(t, "changed.yaml", changed), "--runs", runs, "--diff")
	for _, want := range []string{"uni(P) seed=2: train.lr: 0.001 -> 0.002", "+ ", "uni(P) seed=3", "constant", "- " + plan.Trials[0].ID, "2 added, 1 dropped, 1 altered, 1 as before"} {
		if !strings.Contains(out, want) {
			t.Errorf("plan --diff printed\n%s\nwithout %q", out, want)
		}
	}
}
