package runners

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// DenseOptions say how Dense compares and how much memory it may take. The zero
// value is cosine similarity within 1 GiB.
type DenseOptions struct {
	Similarity Similarity
	// MemoryBudget bounds the bytes of vectors and hits held at a time: those of
	// all queries and of one block of documents. 0 is 1 GiB. A corpus larger than
	// that is streamed in blocks, with the same result.
	MemoryBudget int64
	// BatchSize is the number of texts given to the encoder at a time; 0 is 2048:
	// enough for an encoder that sorts texts by length before it batches them, and whose
	// last batch of each length is not full.
	BatchSize int
}

// Dense ranks by the similarity of the vectors an encoder gives to queries and
// documents. It compares every pair: there is no approximate index.
type Dense struct {
	name    string
	encoder Encoder
	opts    DenseOptions
}

var _ Retriever = (*Dense)(nil)

// NewDense returns exact dense retrieval over an encoder under the name a board
// shows. Options out of range are errors of Retrieve.
func NewDense(name string, encoder Encoder, opts DenseOptions) *Dense {
	if opts.MemoryBudget == 0 {
		opts.MemoryBudget = 1 << 30
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = 2048
	}
	return &Dense{name: name, encoder: encoder, opts: opts}
}

// Name is the name given to NewDense.
func (r *Dense) Name() string { return r.name }

// Retrieve encodes the queries, then the corpus block by block, and keeps the
// best documents of each query. Where queries have candidates, only documents
// that are a candidate of some query are encoded. A vector with a value that is
// not finite is an error, and so is one vector for all documents.
func (r *Dense) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	sc, err := openScope(ctx, task, depth)
	if err != nil {
		return nil, err
	}
	run, err := r.search(ctx, sc, depth)
	if err != nil {
		return nil, fmt.Errorf("task %s: %s: %w", task.Name, r.name, err)
	}
	return run, nil
}

// search is Retrieve for a task whose IDs are resolved.
func (r *Dense) search(ctx context.Context, sc *scope, depth int) (trec.Run, error) {
	size, err := r.blockSize(len(sc.task.Queries), min(topCapacity(depth), len(sc.ids)))
	if err != nil {
		return nil, err
	}
	s := &denseSearch{dim: r.encoder.Dim(), scope: sc, tops: make([]*topK, len(sc.task.Queries))}
	if s.queries, err = r.encodeQueries(ctx, sc.task.Queries); err != nil {
		return nil, err
	}
	for i := range s.tops {
		s.tops[i] = sc.top(i, depth)
	}
	if err := r.eachBlock(ctx, sc, size, func(b *block) error { return s.add(ctx, b) }); err != nil {
		return nil, err
	}
	rankings := make([]trec.Ranking, len(sc.task.Queries))
	for i, top := range s.tops {
		rankings[i] = top.ranking()
	}
	return sc.run(rankings), nil
}

// blockSize is the number of document vectors that fit into the budget beside
// the vectors and hits of the queries.
func (r *Dense) blockSize(queries, hits int) (int, error) {
	if _, err := ParseSimilarity(string(r.opts.Similarity)); err != nil {
		return 0, err
	}
	dim := r.encoder.Dim()
	if dim < 1 || r.opts.BatchSize < 1 {
		return 0, fmt.Errorf("vectors of %d values in batches of %d: want at least 1 of each", dim, r.opts.BatchSize)
	}
	const valueBytes, hitBytes = 4, 16
	vector := int64(dim) * valueBytes
	fixed := int64(queries) * (vector + int64(hits)*hitBytes)
	size := (r.opts.MemoryBudget - fixed) / vector
	if size < 1 {
		return 0, fmt.Errorf("memory budget of %d bytes: %d queries take %d, and a document %d", r.opts.MemoryBudget, queries, fixed, vector)
	}
	return int(size), nil
}

// encodeQueries returns the vectors of all queries, one after the other.
func (r *Dense) encodeQueries(ctx context.Context, queries []datasets.Query) ([]float32, error) {
	dim := r.encoder.Dim()
	vectors := make([]float32, len(queries)*dim)
	for lo := 0; lo < len(queries); lo += r.opts.BatchSize {
		hi := min(lo+r.opts.BatchSize, len(queries))
		texts, instructions := make([]string, hi-lo), make([]string, hi-lo)
		for i, q := range queries[lo:hi] {
			texts[i], instructions[i] = q.Text, q.Instruction
		}
		dst := vectors[lo*dim : hi*dim]
		if err := r.encoder.EncodeQueries(ctx, texts, instructions, dst); err != nil {
			return nil, fmt.Errorf("encode queries: %w", err)
		}
		if bad := r.prepare(dst); bad >= 0 {
			return nil, fmt.Errorf("the vector of query %q has a value that is not finite", queries[lo+bad].ID)
		}
	}
	return vectors, nil
}

// prepare makes vectors ready for inner products; it returns the number of a
// vector that is not finite, or -1.
func (r *Dense) prepare(vectors []float32) (bad int) {
	dim := r.encoder.Dim()
	for i := 0; i*dim < len(vectors); i++ {
		v := vectors[i*dim : (i+1)*dim]
		if !finite(v) {
			return i
		}
		if r.opts.Similarity != Dot {
			normalise(v)
		}
	}
	return -1
}

// block is a stretch of the corpus in vectors.
type block struct {
	docs    []int32   // document numbers, ascending
	vectors []float32 // of docs, one after the other
}

// eachBlock encodes the documents in scope and calls use for each block of at
// most size of them. The block's memory is used again after use returns.
func (r *Dense) eachBlock(ctx context.Context, sc *scope, size int, use func(*block) error) error {
	wanted, n := sc.wanted()
	size = min(size, n)
	b := &block{docs: make([]int32, 0, size), vectors: make([]float32, size*r.encoder.Dim())}
	var titles, texts []string
	var same constant
	encode := func() error {
		vectors, err := r.encodeDocuments(ctx, sc, b, titles, texts)
		same.see(titles, texts, vectors)
		titles, texts = titles[:0], texts[:0]
		return err
	}
	err := sc.eachDocument(ctx, func(number int32, d datasets.Document) error {
		if !wanted(number) {
			return nil
		}
		b.docs = append(b.docs, number)
		titles, texts = append(titles, d.Title), append(texts, d.Text)
		full := len(b.docs) == size
		if full || len(texts) == r.opts.BatchSize {
			if err := encode(); err != nil {
				return err
			}
		}
		if !full {
			return nil
		}
		defer func() { b.docs = b.docs[:0] }()
		return use(b)
	})
	if err != nil {
		return err
	}
	if err := encode(); err != nil {
		return err
	}
	if err := same.check(); err != nil {
		return err
	}
	return use(b)
}

// encodeDocuments fills in and returns the vectors of the last len(texts) documents of b.
func (r *Dense) encodeDocuments(ctx context.Context, sc *scope, b *block, titles, texts []string) ([]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	first, dim := len(b.docs)-len(texts), r.encoder.Dim()
	dst := b.vectors[first*dim : len(b.docs)*dim]
	if err := r.encoder.EncodeDocuments(ctx, titles, texts, dst); err != nil {
		return nil, fmt.Errorf("encode documents: %w", err)
	}
	if bad := r.prepare(dst); bad >= 0 {
		return nil, fmt.Errorf("the vector of document %q has a value that is not finite", sc.ids[b.docs[first+bad]])
	}
	return dst, nil
}

// denseSearch keeps the best documents of each query while blocks go by.
type denseSearch struct {
	dim     int
	scope   *scope
	queries []float32
	tops    []*topK
}

// errOverflow says that an inner product is not finite though the vectors are.
var errOverflow = errors.New("an inner product overflows float32: use cosine similarity")

const (
	tileBytes  = 128 << 10 // documents compared with a group of queries while they are in the L2 cache
	groupLimit = 64        // queries in a group: more would drive the tile out of the cache
)

// add compares all queries with a block, each query in one goroutine.
func (s *denseSearch) add(ctx context.Context, b *block) error {
	if s.scope.restricted {
		return forEach(ctx, workerCount(), len(s.tops), func(_, i int) error { return s.addCandidates(b, i) })
	}
	workers := workerCount()
	perWorker := (len(s.tops) + workers*groupLimit - 1) / (workers * groupLimit)
	groups := workers * perWorker
	return forEach(ctx, workers, groups, func(_, g int) error {
		return s.addGroup(ctx, b, len(s.tops)*g/groups, len(s.tops)*(g+1)/groups)
	})
}

// addGroup compares queries lo to hi with every document of a block.
func (s *denseSearch) addGroup(ctx context.Context, b *block, lo, hi int) error {
	tile := max(1, tileBytes/(4*s.dim))
	for from := 0; from < len(b.docs); from += tile {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+tile, len(b.docs))
		for i := lo; i < hi; i++ {
			query, top := s.queries[i*s.dim:(i+1)*s.dim], s.tops[i]
			for d := from; d < to; d++ {
				score := dotProduct(query, b.vectors[d*s.dim:(d+1)*s.dim])
				if score-score != 0 {
					return errOverflow
				}
				top.offer(score, b.docs[d])
			}
		}
	}
	return nil
}

// addCandidates compares query i with those of its candidates that are in a
// block.
func (s *denseSearch) addCandidates(b *block, i int) error {
	query, top := s.queries[i*s.dim:(i+1)*s.dim], s.tops[i]
	candidates, d := s.scope.candidates[i], 0
	for _, doc := range candidates {
		d += sort.Search(len(b.docs)-d, func(k int) bool { return b.docs[d+k] >= doc })
		if d == len(b.docs) {
			return nil
		}
		if b.docs[d] != doc {
			continue
		}
		score := dotProduct(query, b.vectors[d*s.dim:(d+1)*s.dim])
		if score-score != 0 {
			return errOverflow
		}
		top.offer(score, doc)
	}
	return nil
}
