package runners

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/metrics/trec"
)

// RunFile returns the rankings of a saved run of any program.
type RunFile struct {
	name string
	path string
	run  trec.Run

	Warnings []string // doubts about the file
}

var _ Retriever = (*RunFile)(nil)

// OpenRunFile reads a run file in TREC's format, which may be compressed. The retriever's name
// is the tag of the run.
func OpenRunFile(path string) (*RunFile, error) {
	r := &RunFile{path: path}
	var err error
	r.run, r.name, err = format.OpenRun(path, trec.Options{Warn: func(err error) { r.Warnings = append(r.Warnings, err.Error()) }})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// WarnOf returns a warning if the run has queries that no task of the benchmark judges.
func (r *RunFile) WarnOf(b *datasets.Benchmark) string {
	asked := map[string]bool{}
	for i := range b.Tasks {
		for _, q := range b.Tasks[i].Queries {
			asked[q.ID] = true
		}
	}
	return r.run.WarnUnjudged(r.path, b.Name, func(query string) bool { return asked[query] })
}

// Name returns the tag of the run.
func (r *RunFile) Name() string { return r.name }

// Retrieve returns, from each ranking, the first depth documents that are candidates of the
// query and not excluded. Candidates that are not in the run are not added. Queries that are
// not in the run are missing from the result, and queries that are not in the task are ignored.
// It is an error if the run has none of the task's queries or has documents that are not in the
// corpus: then it belongs to other data.
func (r *RunFile) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	sc, err := OpenScope(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(task.Queries, func(q datasets.Query) bool { return r.run[q.ID] != nil }) {
		return nil, fmt.Errorf("task %s: run %s: none of its %d queries (%q is the first) is among the task's %d (%q)",
			task.Name, r.name, len(r.run), slices.Min(slices.Collect(maps.Keys(r.run))), len(task.Queries), task.Queries[0].ID)
	}
	var faults Faults
	run := make(trec.Run, len(task.Queries))
	for i, q := range task.Queries {
		saved, ok := r.run[q.ID]
		if !ok {
			continue
		}
		top := sc.Top(i, depth)
		for _, s := range saved {
			doc, known := sc.Number[s.Doc]
			if !known {
				faults.Add("document %q of query %q is not in the corpus", s.Doc, q.ID)
			} else if sc.Allows(i, doc) {
				top.Offer(s.Score, doc)
			}
		}
		run[q.ID] = top.Ranking()
	}
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("task %s: run %s: %w", task.Name, r.name, err)
	}
	return run, nil
}
