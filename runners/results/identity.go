package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners/spec"
)

// identityLength is how much of the hash ends the name of a folder.
const identityLength = 8

// Identity hashes what the numbers of an evaluation are of: the configuration, weights
// included, and the content of every task. What was measured, and where and when, is
// no part of it. It is "" where the content of a benchmark is not recorded.
func Identity(c Config, benchmarks []Benchmark) string {
	type data struct {
		Name    string
		Content map[string]datasets.ContentHashes
	}
	var all []data
	for _, b := range benchmarks {
		if len(b.Content) == 0 {
			return ""
		}
		all = append(all, data{b.Name, b.Content})
	}
	text, err := json.Marshal([]any{c, all}) // maps in the order of their keys
	if err != nil || len(all) == 0 {
		return ""
	}
	return disk.Sum(text)[:identityLength]
}

// Identified is the name of an evaluation with its identity at the end.
func Identified(name, identity string) string {
	if identity == "" || strings.HasSuffix(name, "-"+identity) {
		return name
	}
	return disk.FitName(name, 1+len(identity)) + "-" + identity
}

// WeightsOf is what Weights says of the contents that models were read from, in the
// order of opening: the one there is, or a SHA-256 of all, since a first stage and a
// fused ranking have a say in the numbers; "" where nothing was read.
func WeightsOf(read []string) string {
	if len(read) < 2 {
		return strings.Join(read, "")
	}
	return disk.Sum(strings.Join(read, "\n"))
}

// IsPinned says whether the revision of a benchmark names its content: a commit or a
// hash, where a folder has none and a repository may be read as it happens to be.
func (b *Benchmark) IsPinned() bool {
	return b.Revision != "" && !strings.Contains(b.Revision, "unpinned")
}

// HasUnknownWeights says whether a configuration names a network by where it lay
// only: neither trained here, nor imported, nor without weights.
func (c Config) HasUnknownWeights() bool {
	return c[Weights] == "" && c[Loss] == "" && c[Imported] == "" && !isBaseline(c[Model])
}

func isBaseline(model string) bool {
	_, ok := spec.FindBaseline(model)
	return ok
}

// Part is a part of a task's content.
type Part struct{ Name, Sum string }

// Parts lists what a task was read as.
func Parts(c datasets.ContentHashes) []Part {
	return []Part{{"documents", c.Documents}, {"queries", c.Queries}, {"judgments", c.Judgments}, {"candidates", c.Candidates}}
}

// WhatDiffers says in words how an evaluation is of something else than another one:
// in which settings, and in the content of which tasks.
func WhatDiffers(was, is *Trial) (differ []string) {
	keys := maps.Clone(was.Config)
	if keys == nil {
		keys = Config{}
	}
	maps.Copy(keys, is.Config)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a, b := was.Config[key], is.Config[key]; a != b {
			differ = append(differ, fmt.Sprintf("%s %q, now %q", key, a, b))
		}
	}
	before, now := contents(was), contents(is)
	for _, task := range slices.Sorted(maps.Keys(now)) {
		content, ok := before[task]
		if !ok {
			differ = append(differ, "without "+task)
			continue
		}
		for i, part := range Parts(now[task]) {
			if old := Parts(content)[i]; old != part {
				differ = append(differ, fmt.Sprintf("%s of %s with SHA-256 %.12s, now %.12s", part.Name, task, cmp.Or(old.Sum, "none"), cmp.Or(part.Sum, "none")))
			}
		}
	}
	for _, task := range slices.Sorted(maps.Keys(before)) {
		if _, ok := now[task]; !ok {
			differ = append(differ, "with "+task)
		}
	}
	return differ
}

// contents are those of all tasks by benchmark and task.
func contents(t *Trial) map[string]datasets.ContentHashes {
	out := map[string]datasets.ContentHashes{}
	for _, b := range t.Provenance.Benchmarks {
		for task, c := range b.Content {
			out[b.Name+"/"+task] = c
		}
	}
	return out
}
