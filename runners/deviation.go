package runners

import (
	"context"
	"fmt"
	"math"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Deviation is the difference between the scores of rankings and those of another retriever for
// the same documents.
type Deviation struct {
	Queries int     `json:"queries"`
	Pairs   int     `json:"pairs"` // number of pairs of query and document
	Mean    float64 `json:"mean"`  // mean of the absolute differences, on the scale of the scores
	Max     float64 `json:"max"`
}

// Deviate scores the best depth documents for some queries of a run again, by another
// retriever. The queries are spread evenly over the task. The retriever must score documents
// independently of each other.
func Deviate(ctx context.Context, by Retriever, task *datasets.Task, run trec.Run, queries, depth int) (Deviation, error) {
	part := *task
	part.Queries, part.Candidates = nil, map[string][]string{}
	queries = min(queries, len(task.Queries))
	for i := range queries {
		q := task.Queries[i*len(task.Queries)/queries]
		part.Queries = append(part.Queries, q)
		part.Candidates[q.ID] = []string{}
		for _, hit := range run[q.ID][:min(depth, len(run[q.ID]))] {
			part.Candidates[q.ID] = append(part.Candidates[q.ID], hit.Doc)
		}
	}
	other, err := by.Retrieve(ctx, &part, depth)
	if err != nil {
		return Deviation{}, fmt.Errorf("score again by %s: %w", by.Name(), err)
	}
	d := Deviation{Queries: queries}
	for _, q := range part.Queries {
		scores := map[string]float64{}
		for _, hit := range other[q.ID] {
			scores[hit.Doc] = hit.Score
		}
		for _, hit := range run[q.ID] {
			if score, ok := scores[hit.Doc]; ok {
				apart := math.Abs(hit.Score - score)
				d.Pairs, d.Mean, d.Max = d.Pairs+1, d.Mean+apart, max(d.Max, apart)
			}
		}
	}
	d.Mean /= float64(max(1, d.Pairs))
	return d, nil
}
