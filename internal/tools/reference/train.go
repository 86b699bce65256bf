package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// backbones are the folders of OUT/base that are trained, a kind of network each.
var backbones = []string{"bert", "distilbert", "roberta", "xlmr", "mpnet", "modernbert", "llama", "qwen2", "qwen3", "t5"}

// ways are how each is trained, in the words of an experiment file.
var ways = []struct{ name, backbone, settings string }{
	{"plain", "", ""},
	{"prompts", "_prompted", ""},
	{"lora", "", ", lora: {r: 4, alpha: 8}"},
	{"matryoshka", "", ", matryoshka: {dims: [8, 16]}"},
	{"lora-prompts", "_prompted", ", lora: {r: 4}"},
}

// train runs a sweep of a few steps over every backbone and returns the folders of what it
// trained, as NAME=FOLDER.
func (c *comparison) train(ctx context.Context) (folders []string, err error) {
	if c.only != "" && !strings.Contains(c.only, "trained") {
		return nil, nil
	}
	var file strings.Builder
	file.WriteString("name: reference\nbase: {data: ./trained/data.jsonl, loss: uni(P)}\nbases:\n")
	for _, b := range backbones {
		for _, w := range ways {
			fmt.Fprintf(&file, "  %s-%s: {backbone: %q, train: {steps: 3, lr: 1e-3%s}}\n", b, w.name, filepath.Join(c.out, "base", b+w.backbone), w.settings)
		}
	}
	file.WriteString("evaluate: [./trained/beir]\n")
	experiment := filepath.Join(c.out, "reference.yaml")
	if err := os.WriteFile(experiment, []byte(file.String()), 0o666); err != nil {
		return nil, err
	}
	program, err := filepath.Abs(c.infbench)
	if err != nil {
		return nil, err
	}
	if err := c.writeData(); err != nil {
		return nil, err
	}
	sweep := exec.CommandContext(ctx, program, "sweep", experiment)
	sweep.Dir = c.out
	if out, err := sweep.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("infbench sweep %s: %w\n%s", experiment, err, out)
	}
	folders, err = filepath.Glob(filepath.Join(c.out, "runs", "reference", "trials", "*", "model"))
	if want := len(backbones) * len(ways); err == nil && len(folders) != want {
		err = fmt.Errorf("the sweep of %s trained %d folders, want %d", experiment, len(folders), want)
	}
	return slices.Insert(folders, 0, c.out), err
}

// writeData writes the few texts that are trained on, and a collection of them.
func (c *comparison) writeData() error {
	folder := filepath.Join(c.out, "trained")
	if err := os.MkdirAll(filepath.Join(folder, "beir", "qrels"), 0o777); err != nil {
		return err
	}
	var data, queries, corpus strings.Builder
	qrels := "query-id\tcorpus-id\tscore\n"
	t := c.ours.texts
	for i := range t.Queries {
		other := t.Documents[(i+1)%len(t.Documents)]
		fmt.Fprintf(&data, "{\"query\": %q, \"positive\": %q, \"negatives\": [%q]}\n", t.Queries[i], t.Documents[i], other)
		fmt.Fprintf(&queries, "{\"_id\": \"q%d\", \"text\": %q}\n", i, t.Queries[i])
		fmt.Fprintf(&corpus, "{\"_id\": \"d%d\", \"title\": \"\", \"text\": %q}\n", i, t.Documents[i])
		qrels += fmt.Sprintf("q%d\td%d\t1\n", i, i)
	}
	for name, content := range map[string]string{"data.jsonl": data.String(), "beir/queries.jsonl": queries.String(), "beir/corpus.jsonl": corpus.String(), "beir/qrels/test.tsv": qrels} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}
