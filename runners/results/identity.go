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

// identityLength is how many digits of the hash end the name of a folder.
const identityLength = 8

// Identity hashes everything that an evaluation's numbers depend on: the configuration,
// including weights, and the content of every task. The measures, and where and when the
// evaluation ran, are left out. Identity returns "" if the content of a benchmark is not
// recorded.
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
	text, err := json.Marshal([]any{c, all}) // JSON sorts the keys of maps
	if err != nil || len(all) == 0 {
		return ""
	}
	return disk.Sum(text)[:identityLength]
}

// Identified returns the name of an evaluation with its identity at the end.
func Identified(name, identity string) string {
	if identity == "" || strings.HasSuffix(name, "-"+identity) {
		return name
	}
	return disk.FitName(name, 1+len(identity)) + "-" + identity
}

// WeightsOf returns the value of the key Weights for the hashes of the models that were read,
// in the order of opening. One hash is returned as it is; several are hashed to one SHA-256,
// because a first stage and a fused ranking also affect the numbers. The result is "" if
// nothing was read.
func WeightsOf(read []string) string {
	if len(read) < 2 {
		return strings.Join(read, "")
	}
	return disk.Sum(strings.Join(read, "\n"))
}

// IsPinned reports whether the revision of a benchmark determines its content: a commit or a
// hash. A folder has no revision, and a repository may be read in its current state.
func (b *Benchmark) IsPinned() bool {
	return b.Revision != "" && !strings.Contains(b.Revision, "unpinned")
}

// HasUnknownWeights reports whether a configuration names a network only by its location: it is
// neither trained here, nor imported, nor without weights.
func (c Config) HasUnknownWeights() bool {
	return c[Weights] == "" && c[Loss] == "" && c[Imported] == "" && !isBaseline(c[Model])
}

func isBaseline(model string) bool {
	_, ok := spec.FindBaseline(model)
	return ok
}

// Part is a part of a task's content.
type Part struct{ Name, Sum string }

// Parts lists the parts of a task's content.
func Parts(c datasets.ContentHashes) []Part {
	return []Part{{"documents", c.Documents}, {"queries", c.Queries}, {"judgments", c.Judgments}, {"candidates", c.Candidates}}
}

// WhatDiffers describes the differences between two evaluations: in settings, and in the
// content of tasks.
func WhatDiffers(was, now *Trial) (differ []string) {
	keys := maps.Clone(was.Config)
	if keys == nil {
		keys = Config{}
	}
	maps.Copy(keys, now.Config)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a, b := was.Config[key], now.Config[key]; a != b {
			differ = append(differ, fmt.Sprintf("%s %q, now %q", key, a, b))
		}
	}
	before, after := contents(was), contents(now)
	for _, task := range slices.Sorted(maps.Keys(after)) {
		content, ok := before[task]
		if !ok {
			differ = append(differ, "without "+task)
			continue
		}
		for i, part := range Parts(after[task]) {
			if old := Parts(content)[i]; old != part {
				differ = append(differ, fmt.Sprintf("%s of %s with SHA-256 %.12s, now %.12s", part.Name, task, cmp.Or(old.Sum, "none"), cmp.Or(part.Sum, "none")))
			}
		}
	}
	for _, task := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[task]; !ok {
			differ = append(differ, "with "+task)
		}
	}
	return differ
}

// contents returns the content hashes of all tasks, by benchmark and task.
func contents(t *Trial) map[string]datasets.ContentHashes {
	out := map[string]datasets.ContentHashes{}
	for _, b := range t.Provenance.Benchmarks {
		for task, c := range b.Content {
			out[b.Name+"/"+task] = c
		}
	}
	return out
}
