package runners

import (
	"context"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Restricted is retrieval in two stages. The second stage could find documents by itself, but
// ranks only those of the first.
type Restricted struct {
	first, second Retriever
	depth         int
}

var _ Retriever = (*Restricted)(nil)

// NewRestricted returns a retriever that ranks the best depth documents of first by second.
func NewRestricted(first, second Retriever, depth int) *Restricted {
	return &Restricted{first, second, depth}
}

// Name joins the names of the stages: "bm25+colbert".
func (r *Restricted) Name() string { return r.first.Name() + "+" + r.second.Name() }

// Retrieve gives the documents of the first stage to the second as the candidates of each
// query.
func (r *Restricted) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	found, err := r.first.Retrieve(ctx, task, r.depth)
	if err != nil {
		return nil, err
	}
	part := *task
	part.Candidates = make(map[string][]string, len(task.Queries))
	for _, q := range task.Queries {
		candidates := make([]string, 0, len(found[q.ID]))
		for _, hit := range found[q.ID] {
			candidates = append(candidates, hit.Doc)
		}
		part.Candidates[q.ID] = candidates
	}
	return r.second.Retrieve(ctx, &part, depth)
}
