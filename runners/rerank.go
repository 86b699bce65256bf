package runners

import (
	"context"
	"errors"
	"fmt"

	"infbench/datasets"
	"infbench/internal/progress"
	"infbench/metrics/trec"
)

// Reranker scores documents against one query; it reads both together.
type Reranker interface {
	Name() string
	// Rerank sets scores[i] to the relevance of docs[i]; len(scores) is
	// len(docs). Scores of different queries need not be comparable.
	Rerank(ctx context.Context, query datasets.Query, docs []datasets.Document, scores []float64) error
}

// Rerank is retrieval in two stages: a first stage finds documents, and a reranker orders them.
type Rerank struct {
	first    Retriever
	reranker Reranker
	depth    int
}

var _ Retriever = (*Rerank)(nil)

// NewRerank returns a retriever that reranks the best depth documents of first. If first is
// nil, it reranks all candidates of each query, as in FollowIR; the task must have candidates,
// and depth has no meaning.
func NewRerank(first Retriever, reranker Reranker, depth int) *Rerank {
	return &Rerank{first, reranker, depth}
}

// Name joins the names of the stages: "bm25+monot5".
func (r *Rerank) Name() string {
	if r.first == nil {
		return r.reranker.Name()
	}
	return r.first.Name() + "+" + r.reranker.Name()
}

// Retrieve ranks the documents of the first stage by the reranker's scores alone. It holds in
// memory the text of every document that the first stage found for some query. A score that is
// not a number is an error.
func (r *Rerank) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	ctx = taskContext(ctx, task)
	sc, err := OpenScope(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	found, err := r.firstStage(ctx, sc)
	if err != nil {
		return nil, err
	}
	texts, err := r.texts(ctx, sc, found)
	if err != nil {
		return nil, err
	}
	run := make(trec.Run, len(task.Queries))
	top := NewTopK(depth, sc.IDs)
	for i, q := range task.Queries {
		part := progress.Part(ctx, i, i+1, len(task.Queries))
		if err := errors.Join(ctx.Err(), r.score(part, q, found[i], texts, top)); err != nil {
			return nil, fmt.Errorf("task %s: %s: query %q: %w", task.Name, r.Name(), q.ID, err)
		}
		run[q.ID] = top.Ranking()
		progress.Report(part, 1)
	}
	return run, nil
}

// firstStage returns the documents to rerank, by query and document number.
func (r *Rerank) firstStage(ctx context.Context, sc *Scope) ([][]int32, error) {
	if r.first == nil {
		if !sc.Restricted {
			return nil, fmt.Errorf("task %s: %s has no first stage, and the task has no candidates", sc.Task.Name, r.Name())
		}
		return sc.Candidates, nil
	}
	run, err := r.first.Retrieve(progress.Without(ctx), sc.Task, r.depth)
	if err != nil {
		return nil, err
	}
	found := make([][]int32, len(sc.Task.Queries))
	for i, q := range sc.Task.Queries {
		for _, s := range run[q.ID] {
			doc, ok := sc.Number[s.Doc]
			if !ok {
				return nil, fmt.Errorf("task %s: %s found document %q, which is not in the corpus", sc.Task.Name, r.first.Name(), s.Doc)
			}
			found[i] = append(found[i], doc)
		}
	}
	return found, nil
}

// texts reads the documents that were found for some query.
func (r *Rerank) texts(ctx context.Context, sc *Scope, found [][]int32) (map[int32]datasets.Document, error) {
	texts := map[int32]datasets.Document{}
	for _, docs := range found {
		for _, doc := range docs {
			texts[doc] = datasets.Document{}
		}
	}
	err := sc.EachDocument(ctx, func(number int32, d datasets.Document) error {
		if _, wanted := texts[number]; wanted {
			texts[number] = d
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("task %s: %s: %w", sc.Task.Name, r.Name(), err)
	}
	return texts, nil
}

// score fills top with the reranked documents of one query.
func (r *Rerank) score(ctx context.Context, q datasets.Query, found []int32, texts map[int32]datasets.Document, top *TopK) error {
	docs, scores := make([]datasets.Document, len(found)), make([]float64, len(found))
	for i, doc := range found {
		docs[i] = texts[doc]
	}
	if err := r.reranker.Rerank(ctx, q, docs, scores); err != nil {
		return err
	}
	top.Reset(nil)
	for i, doc := range found {
		if scores[i] != scores[i] {
			return fmt.Errorf("the score of document %q is not a number", docs[i].ID)
		}
		top.Offer(scores[i], doc)
	}
	return nil
}
