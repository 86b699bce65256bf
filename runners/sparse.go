package runners

import (
	"context"
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// SparseEncoder maps texts to weights of terms, which are numbers below Terms. The terms and
// weights of all texts come one after the other, for each text in ascending order of terms;
// counts has their number for each text, which may be 0. The encoder decides how query and
// instruction are joined.
type SparseEncoder interface {
	Terms() int
	EncodeQueryTerms(ctx context.Context, queries, instructions []string) (terms []int32, weights []float32, counts []int, err error)
	EncodeDocumentTerms(ctx context.Context, titles, texts []string) (terms []int32, weights []float32, counts []int, err error)
}

// SparseRetriever ranks by learned sparse vectors (SPLADE and similar models): a text has a
// weight for some terms of a vocabulary, and a score is the inner product, which an inverted
// index adds up. It is exact.
type SparseRetriever struct {
	name    string
	encoder SparseEncoder
	batch   int
}

// usualBatch is enough for an encoder that sorts texts by length before it batches them.
const usualBatch = 2048

// NewSparse returns exact retrieval with an encoder. name is shown on boards. batch is the
// number of texts given to the encoder at a time; 0 means 2048.
func NewSparse(name string, encoder SparseEncoder, batch int) *SparseRetriever {
	if batch == 0 {
		batch = usualBatch
	}
	return &SparseRetriever{name, encoder, batch}
}

// Name returns the name given to NewSparse.
func (r *SparseRetriever) Name() string { return r.name }

// Retrieve indexes in memory the documents that some query may retrieve, and ranks them for
// each query. Documents that share no term with the query are not ranked, except candidates,
// which get score 0. If the first documents show that the index will not fit into memory, it
// returns an error.
func (r *SparseRetriever) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	return Retrieve(ctx, r.name, task, depth, func(ctx context.Context, sc *Scope) (trec.Run, error) { return r.search(ctx, sc, depth) })
}

// search is Retrieve for a task whose IDs are resolved.
func (r *SparseRetriever) search(ctx context.Context, sc *Scope, depth int) (trec.Run, error) {
	queries, err := r.encodeQueries(ctx, sc.Task.Queries)
	if err != nil {
		return nil, err
	}
	index, err := r.index(ctx, sc)
	if err != nil {
		return nil, err
	}
	searchers := make([]*scoreSums, Workers())
	rankings := make([]trec.Ranking, len(queries))
	err = ForEach(ctx, len(searchers), len(queries), func(worker, i int) error {
		if searchers[worker] == nil {
			searchers[worker] = newScoreSums(depth, sc.IDs)
		}
		rankings[i] = searchers[worker].Rank(sc, i, false, identity, func(_ []int32, sums []float64) {
			queries[i].addTo(index, sums)
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sc.Run(rankings), nil
}

func identity(sum float64) float64 { return sum }

// vector is the sparse vector of a text.
type vector struct {
	terms   []int32
	weights []float32
}

// addTo adds the contributions of the vector's terms to the sums of documents, in the order of
// the terms.
func (v *vector) addTo(index *postingWeights, sums []float64) {
	for i, term := range v.terms {
		index.AddTo(term, float64(v.weights[i]), sums)
	}
}

// encodeQueries returns the vectors of queries.
func (r *SparseRetriever) encodeQueries(ctx context.Context, queries []datasets.Query) ([]vector, error) {
	all := make([]vector, 0, len(queries))
	for part := range slices.Chunk(queries, r.batch) {
		texts, instructions := QueryTexts(part)
		terms, weights, counts, err := r.encoder.EncodeQueryTerms(ctx, texts, instructions)
		if err == nil {
			all, err = r.cut(all, terms, weights, counts, func(i int) string { return fmt.Sprintf("query %q", part[i].ID) })
		}
		if err != nil {
			return nil, fmt.Errorf("encode queries: %w", err)
		}
	}
	return all, nil
}

// cut appends the vectors of texts and checks them against the encoder's contract; name returns
// the name of a text.
func (r *SparseRetriever) cut(all []vector, terms []int32, weights []float32, counts []int, name func(i int) string) ([]vector, error) {
	for i, n := range counts {
		if n > len(terms) || n > len(weights) {
			return nil, fmt.Errorf("%s has %d terms, but the encoder gave fewer", name(i), n)
		}
		v := vector{terms[:n], weights[:n]}
		before := int32(-1)
		for k, term := range v.terms {
			switch w := v.weights[k]; {
			case term <= before || int(term) >= r.encoder.Terms():
				return nil, fmt.Errorf("%s has term %d after %d, of %d terms", name(i), term, before, r.encoder.Terms())
			case w-w != 0:
				return nil, fmt.Errorf("%s has a weight that is not finite", name(i))
			}
			before = term
		}
		all = append(all, v)
		terms, weights = terms[n:], weights[n:]
	}
	return all, nil
}

// index is the inverted index of the documents in scope.
func (r *SparseRetriever) index(ctx context.Context, sc *Scope) (*postingWeights, error) {
	b := builder{retriever: r, scope: sc, index: newPostingWeights()}
	b.index.Grow(r.encoder.Terms())
	err := sc.EachBatch(ctx, r.batch, func(ctx context.Context, some *DocumentBatch) error { return b.add(ctx, some) })
	return b.index, err
}

// builder fills an index, batch by batch.
type builder struct {
	retriever *SparseRetriever
	scope     *Scope
	index     *postingWeights
	done      int // number of indexed documents
}

// Bytes of an index in addition to its entries: for each document its place in rankings, for
// each term its row.
const (
	sparseDocumentBytes = 40
	sparseTermBytes     = 40
)

// add indexes a batch, and returns an error if the index will not fit.
func (b *builder) add(ctx context.Context, some *DocumentBatch) error {
	terms, weights, counts, err := b.retriever.encoder.EncodeDocumentTerms(ctx, some.Titles, some.Texts)
	var vectors []vector
	if err == nil {
		vectors, err = b.retriever.cut(nil, terms, weights, counts, func(i int) string {
			return fmt.Sprintf("document %q", b.scope.IDs[some.Numbers[i]])
		})
	}
	if err != nil {
		return fmt.Errorf("encode documents: %w", err)
	}
	for i, v := range vectors {
		for k, term := range v.terms {
			b.index.Add(term, some.Numbers[i], v.weights[k])
		}
	}
	before := b.done
	b.done += len(some.Numbers)
	kept := int64(slack*float64(b.index.Bytes())) + int64(b.done)*sparseDocumentBytes
	sums := int64(Workers()) * int64(len(b.scope.IDs)) * 8
	return indexForecast{Before: before, Now: b.done, Documents: some.Of}.Fits(kept, int64(b.retriever.encoder.Terms())*sparseTermBytes, sums)
}
