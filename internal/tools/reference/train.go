package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// backbones are the folders of OUT/base to train, one for each kind of network.
var backbones = []string{"bert", "distilbert", "roberta", "xlmr", "mpnet", "modernbert", "llama", "qwen2", "qwen3", "t5"}

// ways are the ways to train each, in the syntax of an experiment file.
var ways = []struct{ name, backbone, settings string }{
	{"plain", "", ""},
	{"prompts", "_prompted", ""},
	{"lora", "", ", lora: {r: 4, alpha: 8}"},
	{"matryoshka", "", ", matryoshka: {dims: [8, 16]}"},
	{"lora-prompts", "_prompted", ", lora: {r: 4}"},
}

// train runs a sweep of a few steps over every backbone and returns the folders of the
// trained models.
func (c *comparison) train(ctx context.Context) (folders []string, err error) {
	if chosen, err := regexp.MatchString(c.only, trained); err != nil || !chosen {
		return nil, err
	}
	var file strings.Builder
	file.WriteString("name: reference\nbase: {data: ./trained/data.jsonl, loss: uni(P)}\nbases:\n")
	for _, b := range backbones {
		for _, w := range ways {
			fmt.Fprintf(&file, "  %s-%s: {backbone: %q, train: {rows_per_group: 3, steps: 3, lr: 1e-3%s}}\n", b, w.name, filepath.Join(c.out, "base", b+w.backbone), w.settings)
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
	if err := errors.Join(c.open(), os.MkdirAll(filepath.Join(c.out, "trained", "beir", "qrels"), 0o777)); err != nil {
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
	return folders, err
}

// writeData writes the few training texts, and a collection of them.
func (c *comparison) writeData() error {
	folder := filepath.Join(c.out, "trained")
	var data, queries, corpus strings.Builder
	qrels := "query-id\tcorpus-id\tscore\n"
	t := c.ours.texts
	for i, query := range t.Queries {
		other := t.Documents[(i+1)%len(t.Documents)]
		err := errors.Join(
			json.NewEncoder(&data).Encode(map[string]any{"query": query, "positive": t.Documents[i], "negatives": []string{other}}),
			json.NewEncoder(&queries).Encode(map[string]string{"_id": number(i), "text": query}),
			json.NewEncoder(&corpus).Encode(map[string]string{"_id": number(i), "text": t.Documents[i]}))
		if err != nil {
			return err
		}
		qrels += fmt.Sprintf("%s\t%s\t1\n", number(i), number(i))
	}
	for name, content := range map[string]string{"data.jsonl": data.String(), "beir/queries.jsonl": queries.String(), "beir/corpus.jsonl": corpus.String(), "beir/qrels/test.tsv": qrels} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}
