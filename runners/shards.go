package runners

import (
	"infbench/datasets"
	"infbench/metrics/trec"
)

// JoinShards is the ranking of a whole corpus from those of its shards, for each query of a task
// the best depth documents. Each shard must have been ranked to that depth at least: a
// document that is among the best of all is among the best of its shard.
func JoinShards(task *datasets.Task, shards []trec.Run, depth int) trec.Run {
	run := make(trec.Run, len(task.Queries))
	for _, q := range task.Queries {
		all := trec.Ranking{}
		for _, shard := range shards {
			all = append(all, shard[q.ID]...)
		}
		all.Sort()
		run[q.ID] = all[:min(depth, len(all)):min(depth, len(all))]
	}
	return run
}
