package approximate

import (
	"context"
	"fmt"

	"infbench/metrics/trec"
	"infbench/runners"
)

// answerHits is the approximate number of hits in an answer: some MiB of JSON.
const answerHits = 1 << 16

// ask requests the documents of every query from the server, with as many extra documents as
// the query excludes.
func (r *Retriever) ask(ctx context.Context, sc *runners.Scope, at Opened, depth int) (trec.Run, error) {
	queries := sc.Task.Queries
	rankings := make([]trec.Ranking, len(queries))
	some := max(1, answerHits/depth)
	for from := 0; from < len(queries); from += some {
		part := queries[from:min(from+some, len(queries))]
		texts, instructions := runners.QueryTexts(part)
		vectors := make([]float32, len(part)*r.encoder.Dim())
		if err := r.encoder.EncodeQueries(ctx, texts, instructions, vectors); err != nil {
			return nil, fmt.Errorf("encode queries: %w", err)
		}
		if err := r.prepare(vectors, func(i int) string { return fmt.Sprintf("query %q", part[i].ID) }); err != nil {
			return nil, err
		}
		most := 0
		for i := range part {
			most = max(most, len(sc.Excluded[from+i]))
		}
		found, err := r.server.Nearest(ctx, at, vectors, len(part), min(depth+most, len(sc.IDs)))
		if err != nil {
			return nil, err
		}
		for i, hits := range found {
			if rankings[from+i], err = rank(sc, from+i, depth, hits); err != nil {
				return nil, err
			}
		}
	}
	return sc.Run(rankings), nil
}

// rank is the ranking of query number i without its excluded documents.
func rank(sc *runners.Scope, i, depth int, hits []Hit) (trec.Ranking, error) {
	top := sc.Top(i, depth)
	seen := make(map[int32]bool, len(hits))
	for _, hit := range hits {
		if hit.Number < 0 || int(hit.Number) >= len(sc.IDs) || seen[hit.Number] {
			return nil, fmt.Errorf("the server answered query %q with document %d, which is not in the corpus or was named before", sc.Task.Queries[i].ID, hit.Number)
		}
		seen[hit.Number] = true
		top.Offer(hit.Score, hit.Number)
	}
	return top.Ranking(), nil
}
