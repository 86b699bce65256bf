package trial

import (
	"context"
	"fmt"
	"path/filepath"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/datasets"
	"infbench/datasets/atomicfile"
	"infbench/runners"
)

// Evaluate runs a retriever on every task of the benchmarks, keeps the
// rankings below dir/runs in files of that ending, with what the queries asked
// below dir/queries, and returns the per-query values. done is called after each task.
func Evaluate(ctx context.Context, fsys atomicfile.FS, r runners.Retriever, benchmarks []*datasets.Benchmark, dir, ending string, done func()) ([]results.Result, error) {
	var scores []results.Result
	for _, b := range benchmarks {
		for i := range b.Tasks {
			task := &b.Tasks[i]
			run, err := r.Retrieve(ctx, task, catalog.RetrieveDepth)
			if err != nil {
				return nil, fmt.Errorf("run %s on %s/%s: %w", r.Name(), b.Name, task.Name, err)
			}
			if err := runs.WriteRun(fsys, filepath.Join(dir, results.RunsDir, runs.RunFile(b.Name, task.Name)+ending), run, runs.RunTag(r.Name())); err != nil {
				return nil, err
			}
			records, err := results.DescribeQueries(b.Name, task, run)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", b.Name, task.Name, err)
			}
			if err := results.WriteQueries(fsys, dir, runs.RunFile(b.Name, task.Name), records); err != nil {
				return nil, err
			}
			values, err := results.Score(b.Name, task, run)
			if err != nil {
				return nil, err
			}
			scores = append(scores, values...)
			done()
		}
	}
	return scores, nil
}

// countTasks is how many tasks the benchmarks hold together.
func countTasks(benchmarks []*datasets.Benchmark) int {
	n := 0
	for _, b := range benchmarks {
		n += len(b.Tasks)
	}
	return n
}
