package runners

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Part is a retriever and its weight in a fusion.
type Part struct {
	Retriever Retriever
	Weight    float64
}

// Fusion joins the rankings of several retrievers into one by their ranks.
type Fusion struct {
	k     float64
	depth int
	parts []Part
}

var _ Retriever = (*Fusion)(nil)

// RRFConstant is k of reciprocal rank fusion, with the value of Cormack, Clarke and Büttcher
// (SIGIR 2009).
const RRFConstant = 60

// NewRRF returns reciprocal rank fusion of the best depth documents of each
// part: a document scores the sum of weight / (k + rank), rank from 1.
func NewRRF(k float64, depth int, parts ...Part) *Fusion {
	return &Fusion{k, depth, parts}
}

// Name returns the names of the parts, with weights other than 1: "rrf(bm25,2*e5)".
func (f *Fusion) Name() string {
	names := make([]string, len(f.parts))
	for i, p := range f.parts {
		if names[i] = p.Retriever.Name(); p.Weight != 1 {
			names[i] = fmt.Sprintf("%g*%s", p.Weight, names[i])
		}
	}
	return "rrf(" + strings.Join(names, ",") + ")"
}

// Retrieve runs the parts one after the other and joins their rankings. If no part answers a
// query, it is missing from the result.
func (f *Fusion) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if err := CheckTask(task, depth); err != nil {
		return nil, err
	}
	if len(f.parts) == 0 {
		return nil, fmt.Errorf("task %s: %s: nothing to join", task.Name, f.Name())
	}
	scores := map[string]map[string]float64{} // query -> document -> score
	for _, part := range f.parts {
		run, err := part.Retriever.Retrieve(ctx, task, f.depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		for query, ranking := range run {
			if scores[query] == nil {
				scores[query] = map[string]float64{}
			}
			for place, s := range ranking {
				scores[query][s.Doc] += part.Weight * (1 / (f.k + float64(place+1)))
			}
		}
	}
	run := make(trec.Run, len(scores))
	for query, docs := range scores {
		ranking := make(trec.Ranking, 0, len(docs))
		for doc, score := range docs {
			ranking = append(ranking, trec.Scored{Doc: doc, Score: score})
		}
		ranking.Sort()
		run[query] = slices.Clip(ranking[:min(depth, len(ranking))])
	}
	return run, nil
}
