package trial

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// Evaluate runs a retriever on every task of the benchmarks, keeps the rankings in
// files of that ending, with what the queries asked, and returns the per-query
// values. What two benchmarks ask alike and judge otherwise, as FollowIR of mteb 1 and
// of mteb 2, is ranked once. done is called after each task.
func Evaluate(ctx context.Context, at results.Folder, r runners.Retriever, benchmarks []*datasets.Benchmark, ending results.Ending, done func()) ([]results.Result, error) {
	var scores []results.Result
	asked, err := newAsked(benchmarks)
	if err != nil {
		return nil, err
	}
	for _, b := range benchmarks {
		for i := range b.Tasks {
			task := &b.Tasks[i]
			run, err := asked.run(b, task, func() (trec.Run, error) { return r.Retrieve(ctx, task, max(task.Depth, catalog.RetrieveDepth)) })
			if err != nil {
				return nil, fmt.Errorf("run %s on %s/%s: %w", r.Name(), b.Name, task.Name, err)
			}
			run = task.Ranked(run) // what is kept is what is judged
			if err := at.Writer().Run(b.Name, task.Name, ending, run, r.Name()); err != nil {
				return nil, err
			}
			records, err := results.DescribeQueries(b.Name, task, run)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", b.Name, task.Name, err)
			}
			if err := at.Writer().Queries(b.Name, task.Name, records); err != nil {
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
