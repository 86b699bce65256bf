package runners

import (
	"infbench/datasets"
	"infbench/metrics/trec"
)

// JoinShards joins the rankings of a corpus's shards: for each query of a task the best depth
// documents. Each shard must have been ranked to at least that depth, since one of the best
// documents of all is one of the best of its shard.
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
