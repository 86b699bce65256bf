package trial

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
)

// finder is a retriever that is divided, the number-th of a set.
type finder struct {
	runners.Retriever
	set    *ShardSet
	number int
}

// key names, in the folder of a shard, the rankings of a benchmark by the finder.
func (f *finder) key(benchmark string) string { return fmt.Sprintf("%d-%s", f.number, benchmark) }

// Retrieve joins what the shards found. What is nothing but ties is ranked as a whole: an
// encoder that gives all documents one vector is an error, which no shard can tell from
// documents that are alike.
func (f *finder) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	shards, err := f.set.ranked(f, task)
	if err != nil {
		return nil, err
	}
	run := runners.JoinShards(task, shards, depth)
	if allTied(run) {
		return f.Retriever.Retrieve(ctx, task, depth)
	}
	return run, nil
}

// allTied says whether no query has two documents of unlike scores.
func allTied(run trec.Run) bool {
	for _, r := range run {
		if n := len(r); n > 0 && r[0].Score != r[n-1].Score {
			return false
		}
	}
	return true
}
