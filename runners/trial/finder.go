package trial

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
)

// finder is a retriever whose work is divided into shards. number is its place in the set.
type finder struct {
	runners.Retriever
	set    *ShardSet
	number int
}

// key names the finder's rankings of a benchmark in the folder of a shard.
func (f *finder) key(benchmark string) string { return fmt.Sprintf("%d-%s", f.number, benchmark) }

// Retrieve joins the rankings of the shards. If every ranking consists of ties it ranks the
// undivided corpus: an encoder that gives all documents the same vector is an error, which a
// shard cannot distinguish from equal documents.
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

// allTied reports whether no query has two documents with different scores.
func allTied(run trec.Run) bool {
	for _, r := range run {
		if n := len(r); n > 0 && r[0].Score != r[n-1].Score {
			return false
		}
	}
	return true
}
