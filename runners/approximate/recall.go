package approximate

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
)

// Recall is the share of the exact search's best documents that were found, for a sample of the
// queries.
type Recall struct {
	Queries int
	At      []RecallAt
}

// RecallAt is the share of the best K documents that are among the first K found: its mean over
// the queries and its minimum.
type RecallAt struct {
	K     int
	Mean  float64
	Least float64
}

// sampleQueries is the number of queries that the exact search ranks. The scan of the corpus
// costs more than the queries.
const sampleQueries = 50

// Measure ranks some queries of a run, spread evenly over the task, by the exact search. If
// documents are tied at the end of its best, any of them counts.
func Measure(ctx context.Context, exact runners.Retriever, task *datasets.Task, run trec.Run, depth int) (Recall, error) {
	part := *task
	part.Queries = nil
	n := min(sampleQueries, len(task.Queries))
	for i := range n {
		part.Queries = append(part.Queries, task.Queries[i*len(task.Queries)/n])
	}
	best, err := exact.Retrieve(ctx, &part, depth)
	if err != nil {
		return Recall{}, fmt.Errorf("search exactly by %s: %w", exact.Name(), err)
	}
	measured := Recall{Queries: n}
	for _, k := range []int{1, 10, 100, 1000} {
		if k > depth || n == 0 {
			break
		}
		at := RecallAt{K: k, Least: 1}
		for _, q := range part.Queries {
			share := foundOf(best[q.ID], run[q.ID], k)
			at.Mean += share
			at.Least = min(at.Least, share)
		}
		at.Mean /= float64(n)
		measured.At = append(measured.At, at)
	}
	return measured, nil
}

// foundOf is the share of the best k documents of a ranking that another has among its first k;
// 1 if there is nothing to find.
func foundOf(best, run trec.Ranking, k int) float64 {
	most := min(k, len(best))
	if most == 0 {
		return 1
	}
	good := map[string]bool{}
	for _, hit := range best {
		if hit.Score >= best[most-1].Score {
			good[hit.Doc] = true
		}
	}
	hits := 0
	for _, hit := range run[:min(k, len(run))] {
		if good[hit.Doc] {
			hits++
		}
	}
	return float64(min(hits, most)) / float64(most)
}
