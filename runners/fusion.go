package runners

import (
	"context"
	"fmt"
	"math"
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

// Fusion joins the rankings of several retrievers into one.
type Fusion struct {
	name  string
	parts []Part
	depth int
	// credit is what the document at a place of a sorted, non-empty ranking
	// receives from it, before weighing.
	credit func(ranking trec.Ranking, place int) float64
}

var _ Retriever = (*Fusion)(nil)

// RRFConstant is k of reciprocal rank fusion as Cormack, Clarke and Büttcher
// (SIGIR 2009) set it.
const RRFConstant = 60

// NewRRF returns reciprocal rank fusion of the best depth documents of each
// part: a document scores the sum of weight / (k + rank), rank from 1.
func NewRRF(k float64, depth int, parts ...Part) *Fusion {
	return &Fusion{"rrf", parts, depth, func(_ trec.Ranking, place int) float64 {
		return 1 / (k + float64(place+1))
	}}
}

// NewWeighted returns the weighted sum of scores over the best depth documents
// of each part, each part's scores scaled by query to [0, 1] by their minimum
// and maximum; where all are equal they count as 1. A document a part did not
// find receives 0 from it.
func NewWeighted(depth int, parts ...Part) *Fusion {
	return &Fusion{"weighted", parts, depth, func(ranking trec.Ranking, place int) float64 {
		highest, lowest := ranking[0].Score, ranking[len(ranking)-1].Score
		if highest == lowest {
			return 1
		}
		return (ranking[place].Score - lowest) / (highest - lowest)
	}}
}

// Name tells the kind and the parts, with weights other than 1:
// "rrf(bm25,2*e5)".
func (f *Fusion) Name() string {
	names := make([]string, len(f.parts))
	for i, p := range f.parts {
		if names[i] = p.Retriever.Name(); p.Weight != 1 {
			names[i] = fmt.Sprintf("%g*%s", p.Weight, names[i])
		}
	}
	return f.name + "(" + strings.Join(names, ",") + ")"
}

// Retrieve runs the parts one after the other and joins their rankings. A query
// that no part answers is missing from the result.
func (f *Fusion) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if err := checkTask(task, depth); err != nil {
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
				scores[query][s.Doc] += part.Weight * f.credit(ranking, place)
			}
		}
	}
	run := make(trec.Run, len(scores))
	for query, docs := range scores {
		ranking := make(trec.Ranking, 0, len(docs))
		for doc, score := range docs {
			if math.IsNaN(score) {
				return nil, fmt.Errorf("task %s: %s: query %q: infinite scores cannot be scaled", task.Name, f.Name(), query)
			}
			ranking = append(ranking, trec.Scored{Doc: doc, Score: score})
		}
		ranking.Sort()
		run[query] = slices.Clip(ranking[:min(depth, len(ranking))])
	}
	return run, nil
}
