package runners

import (
	"context"
	"fmt"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/metrics/trec"
)

// LateEncoder maps texts to vectors of Dim float32 values, several for each text. values has
// the vectors one after the other, and counts their number for each text: at least one, and for
// a document at most MaxTokens. The encoder decides how query and instruction are joined.
// Vectors depend by no more than 1e-6 on the other texts in the batch. The caller may use them
// until the next call.
type LateEncoder interface {
	Dim() int
	MaxTokens() int
	EncodeQueryTokens(ctx context.Context, queries, instructions []string) (values []float32, counts []int, err error)
	EncodeDocumentTokens(ctx context.Context, titles, texts []string) (values []float32, counts []int, err error)
}

// LateScoring is the way in which the vectors of a query and a document make a score.
type LateScoring string

// The scorings.
const (
	// MaxSim is the sum, over the query's vectors, of their largest inner products.
	MaxSim LateScoring = "maxsim"
	// PaddedMaxSim is the score of PyLate's rank.rerank, and so of mteb when it ranks
	// candidates. Documents shorter than the longest candidate of the query get an additional
	// zero vector, so that negative inner products count as 0. It needs candidates.
	PaddedMaxSim LateScoring = "maxsim-padded"
)

// ParseLateScoring returns the scoring with a name; "" is MaxSim.
func ParseLateScoring(name string) (LateScoring, error) {
	switch s := LateScoring(name); s {
	case MaxSim, PaddedMaxSim:
		return s, nil
	case "":
		return MaxSim, nil
	}
	return "", nearest.Unknown("similarity of late interaction", name, []string{string(MaxSim), string(PaddedMaxSim)})
}

// LateOptions are the scoring and the memory limit of a LateRetriever. The zero value is MaxSim
// within 1 GiB.
type LateOptions struct {
	Scoring LateScoring
	// MemoryBudget limits the bytes of vectors, products and hits in memory at a time: those of
	// all queries and of one block of documents. 0 means 1 GiB. A corpus is streamed in blocks
	// of at most 64 MiB, with the same result.
	MemoryBudget int64
	// BatchSize limits the number of texts given to the encoder at a time; 0 means 2048.
	BatchSize int
}

// LateRetriever ranks by late interaction: a query and a document have a vector for each
// token, and their score is the sum, over the vectors of the query, of the largest inner
// product with a vector of the document (MaxSim; Khattab and Zaharia 2020, arXiv
// 2004.12832). Every pair is scored: there is no approximate index.
type LateRetriever struct {
	name    string
	encoder LateEncoder
	opts    LateOptions
}

// NewLate returns exact retrieval with an encoder. name is shown on boards. Retrieve returns an
// error for options out of range.
func NewLate(name string, encoder LateEncoder, opts LateOptions) *LateRetriever {
	if opts.MemoryBudget == 0 {
		opts.MemoryBudget = 1 << 30
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = 2048
	}
	if opts.Scoring == "" {
		opts.Scoring = MaxSim
	}
	return &LateRetriever{name, encoder, opts}
}

// Name returns the name given to NewLate.
func (r *LateRetriever) Name() string { return r.name }

// Retrieve encodes the queries, then the corpus block by block, and keeps the best documents of
// each query. If queries have candidates, it encodes only documents that are a candidate of
// some query. A text without a vector is an error, and so is a value that is not finite.
func (r *LateRetriever) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	return Retrieve(ctx, r.name, task, depth, func(ctx context.Context, sc *Scope) (trec.Run, error) { return r.search(ctx, sc, depth) })
}

// search is Retrieve for a task whose IDs are resolved.
func (r *LateRetriever) search(ctx context.Context, sc *Scope, depth int) (trec.Run, error) {
	scoring, err := ParseLateScoring(string(r.opts.Scoring))
	if err != nil {
		return nil, err
	}
	if scoring == PaddedMaxSim && !sc.Restricted {
		return nil, fmt.Errorf("%s scores the candidates of queries, but the task has none", scoring)
	}
	queries, err := r.encodeQueries(ctx, sc.Task.Queries)
	if err != nil {
		return nil, err
	}
	s := newLateSearch(sc, r.encoder.Dim(), scoring, queries, depth)
	batch, err := r.batch(s.bytes(depth))
	if err != nil {
		return nil, err
	}
	err = sc.EachBatch(ctx, batch, func(ctx context.Context, b *DocumentBatch) error {
		block, err := r.encodeDocuments(ctx, sc, b)
		if err != nil {
			return err
		}
		return s.add(ctx, b.Numbers, block)
	})
	if err != nil {
		return nil, err
	}
	return sc.Run(s.rankings()), nil
}

// batch is the number of documents in a block: as many as fit into the budget next to fixed
// bytes, if all have the maximum length.
func (r *LateRetriever) batch(fixed int64) (int, error) {
	dim, tokens := r.encoder.Dim(), r.encoder.MaxTokens()
	if dim < 1 || tokens < 1 || r.opts.BatchSize < 1 {
		return 0, fmt.Errorf("up to %d vectors of %d values in batches of %d: want at least 1 of each", tokens, dim, r.opts.BatchSize)
	}
	document := int64(tokens) * int64(dim) * valueBytes
	size := min(r.opts.MemoryBudget-fixed, BlockBytes) / document
	if size < 1 && document > BlockBytes {
		size = (r.opts.MemoryBudget - fixed) / document
	}
	if size < 1 {
		return 0, fmt.Errorf("memory budget of %d bytes: queries and products take %d, and a document up to %d", r.opts.MemoryBudget, fixed, document)
	}
	return int(min(size, int64(r.opts.BatchSize))), nil
}

// encodeQueries returns the vectors of all queries.
func (r *LateRetriever) encodeQueries(ctx context.Context, queries []datasets.Query) (*tokens, error) {
	all := &tokens{}
	const some = 256
	for lo := 0; lo < len(queries); lo += some {
		part := queries[lo:min(lo+some, len(queries))]
		texts, instructions := QueryTexts(part)
		values, counts, err := r.encoder.EncodeQueryTokens(ctx, texts, instructions)
		if err == nil {
			err = checkTokens(values, counts, r.encoder.Dim(), func(i int) string { return fmt.Sprintf("query %q", part[i].ID) })
		}
		if err != nil {
			return nil, fmt.Errorf("encode queries: %w", err)
		}
		all.values, all.counts = append(all.values, values...), append(all.counts, counts...)
	}
	return all, nil
}

// encodeDocuments returns the vectors of a block of documents.
func (r *LateRetriever) encodeDocuments(ctx context.Context, sc *Scope, b *DocumentBatch) (*tokens, error) {
	values, counts, err := r.encoder.EncodeDocumentTokens(ctx, b.Titles, b.Texts)
	if err == nil {
		err = checkTokens(values, counts, r.encoder.Dim(), func(i int) string { return fmt.Sprintf("document %q", sc.IDs[b.Numbers[i]]) })
	}
	if err != nil {
		return nil, fmt.Errorf("encode documents: %w", err)
	}
	return &tokens{values, counts}, nil
}
