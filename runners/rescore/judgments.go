package rescore

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// Suffixes of the files of a task. Their names begin like those of its saved rankings:
// BENCHMARK.TASK.
const (
	qrelsEnding      = ".qrels"      // for one side of pairs: ".original.qrels", ".changed.qrels", ".reversed.qrels"
	candidatesEnding = ".candidates" // query and candidate document; no file if the complete corpus is ranked
	excludedEnding   = ".excluded"   // query and document that is never ranked
	MovedEnding      = ".moved"      // pair and document whose relevance the instruction changed, for p-MRR
)

// WriteJudgments writes the judgments that trials were scored with into a folder, including
// those of generated benchmarks. It writes each benchmark once; if there are several revisions
// of a benchmark, each gets its own folder. lacking lists the judgments that are not available.
func WriteJudgments(dir string, trials []results.Folder) (files int, lacking []string, err error) {
	source := New()
	found := map[string][]*datasets.Benchmark{} // by name
	for _, at := range trials {
		benchmarks, err := source.Benchmarks(at)
		if err != nil {
			return files, nil, err
		}
		for _, b := range benchmarks {
			if !slices.ContainsFunc(found[b.Name], func(known *datasets.Benchmark) bool { return known.Revision == b.Revision }) {
				found[b.Name] = append(found[b.Name], b)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, b := range found[name] {
			into := dir
			if len(found[name]) > 1 {
				into = filepath.Join(dir, cmp.Or(results.FileName(b.Revision), "unrecorded"))
			}
			for i := range b.Tasks {
				n, err := writeTask(filepath.Join(into, results.TaskFile(b.Name, b.Tasks[i].Name)), &b.Tasks[i])
				if files += n; err != nil {
					return files, nil, fmt.Errorf("%s/%s: %w", b.Name, b.Tasks[i].Name, err)
				}
			}
		}
	}
	return files, source.NotChecked(), nil
}

// writeTask writes the files of a task and returns their number. base is their path without a
// suffix.
func writeTask(base string, t *datasets.Task) (files int, err error) {
	write := func(ending string, empty bool, fill func(io.Writer) error) {
		if err != nil || empty {
			return
		}
		if err = disk.Write(base+ending, fill); err == nil {
			files++
		}
	}
	for _, s := range sides(t) {
		write(s.ending, len(s.qrels) == 0, func(w io.Writer) error { return trec.WriteQrels(w, s.qrels) })
	}
	moved := map[string][]string{}
	for _, p := range t.Pairs {
		moved[p.ID] = p.Moved
	}
	for _, list := range []struct {
		ending string
		docs   map[string][]string
	}{{candidatesEnding, t.Candidates}, {excludedEnding, t.Excluded}, {MovedEnding, moved}} {
		write(list.ending, count(list.docs) == 0, func(w io.Writer) error { return trec.WriteChanged(w, list.docs) })
	}
	return files, err
}

// side is the judgments of the queries under one instruction, by the query IDs of the rankings.
type side struct {
	ending string
	qrels  trec.Qrels
}

// sides splits the judgments of a task. A task without pairs has one part.
func sides(t *datasets.Task) []side {
	if len(t.Pairs) == 0 {
		return []side{{qrelsEnding, t.Qrels}}
	}
	out := []side{{"." + string(datasets.Original) + qrelsEnding, trec.Qrels{}}, {"." + string(datasets.Changed) + qrelsEnding, trec.Qrels{}}, {"." + string(datasets.Reversed) + qrelsEnding, trec.Qrels{}}}
	for _, p := range t.Pairs {
		for i, query := range []string{p.Original, p.Changed, p.Reversed} {
			if judged := t.Qrels[query]; len(judged) > 0 {
				out[i].qrels[query] = judged
			}
		}
	}
	return out
}

func count(lists map[string][]string) (n int) {
	for _, list := range lists {
		n += len(list)
	}
	return n
}
