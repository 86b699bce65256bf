package runners

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/codes"
)

// DenseOptions are the similarity and the memory limit of Dense. The zero value is cosine
// similarity within 1 GiB.
type DenseOptions struct {
	Similarity Similarity
	// MemoryBudget limits the bytes of vectors and hits in memory at a time: those of all
	// queries and of one block of documents. 0 means 1 GiB. A corpus is streamed in blocks of
	// 64 MiB, or of one batch if that is larger, with the same result. Vectors in an embedding
	// cache are searched in its files: they use only memory that the system can spare.
	MemoryBudget int64
	// Blocks is the format in which documents are multiplied with queries; "" means
	// codes.Float32. It changes neither rankings nor scores: every document that may enter a
	// ranking, whatever the error of its codes, is scored by its vector.
	Blocks codes.Form
	// BatchSize is the number of texts given to the encoder at a time; 0 means 2048. That is
	// enough for an encoder that sorts texts by length and then batches them, so that few
	// batches are incomplete.
	BatchSize int
}

// Dense ranks by the similarity of an encoder's vectors for queries and documents. It compares
// every pair; there is no approximate index.
type Dense struct {
	name    string
	encoder Encoder
	opts    DenseOptions
}

var _ Retriever = (*Dense)(nil)

// NewDense returns exact dense retrieval with an encoder. name is shown on boards. Retrieve
// returns an error for options out of range.
func NewDense(name string, encoder Encoder, opts DenseOptions) *Dense {
	if opts.MemoryBudget == 0 {
		opts.MemoryBudget = 1 << 30
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = 2048
	}
	if opts.Blocks == "" {
		opts.Blocks = codes.Float32
	}
	return &Dense{name: name, encoder: encoder, opts: opts}
}

// Name returns the name given to NewDense.
func (r *Dense) Name() string { return r.name }

// Retrieve encodes the queries, then the corpus block by block, and keeps the best documents of
// each query. If queries have candidates, it encodes only documents that are a candidate of
// some query. A vector with a value that is not finite is an error, and so are equal vectors
// for all documents of a complete corpus.
func (r *Dense) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	return Retrieve(ctx, r.name, task, depth, func(ctx context.Context, sc *Scope) (trec.Run, error) { return r.search(ctx, sc, depth) })
}

// search is Retrieve for a task whose IDs are resolved.
func (r *Dense) search(ctx context.Context, sc *Scope, depth int) (trec.Run, error) {
	size, err := r.blockSize(len(sc.Task.Queries), min(topKCapacity(depth), len(sc.IDs)))
	if err != nil {
		return nil, err
	}
	queries, err := r.encodeQueries(ctx, sc.Task.Queries)
	if err != nil {
		return nil, err
	}
	s := newDenseSearch(sc, r.encoder.Dim(), r.opts.Similarity, r.opts.Blocks, queries, depth)
	for b, err := range r.blocks(ctx, sc, size) {
		if err == nil {
			err = s.add(ctx, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return sc.Run(s.rankings()), nil
}

// BlockBytes is the size of a block of documents, unless a batch is larger: enough to keep all
// processors busy, and little compared with the weights of a network.
const BlockBytes = 64 << 20

// blockSize is the number of document vectors in a block: as many as fit into the budget with
// the vectors and hits of the queries, up to complete batches of about BlockBytes.
func (r *Dense) blockSize(queries, hits int) (int, error) {
	if _, err := ParseSimilarity(string(r.opts.Similarity)); err != nil {
		return 0, err
	}
	form, err := codes.Parse(string(r.opts.Blocks))
	if err != nil {
		return 0, err
	}
	dim := r.encoder.Dim()
	if dim < 1 || r.opts.BatchSize < 1 {
		return 0, fmt.Errorf("vectors of %d values in batches of %d: want at least 1 of each", dim, r.opts.BatchSize)
	}
	const valueBytes, hitBytes = 4, 16
	vector := int64(dim) * valueBytes
	fixed := int64(queries) * (vector + int64(hits)*hitBytes)
	vector += form.Bytes(dim)
	size := (r.opts.MemoryBudget - fixed) / vector
	if size < 1 {
		return 0, fmt.Errorf("memory budget of %d bytes: %d queries take %d, and a document %d", r.opts.MemoryBudget, queries, fixed, vector)
	}
	batch := int64(r.opts.BatchSize)
	return int(min(size, max(1, BlockBytes/vector/batch)*batch)), nil
}

// encodeQueries returns the vectors of all queries, one after the other.
func (r *Dense) encodeQueries(ctx context.Context, queries []datasets.Query) ([]float32, error) {
	dim := r.encoder.Dim()
	vectors := make([]float32, len(queries)*dim)
	for lo := 0; lo < len(queries); lo += r.opts.BatchSize {
		hi := min(lo+r.opts.BatchSize, len(queries))
		texts, instructions := QueryTexts(queries[lo:hi])
		dst := vectors[lo*dim : hi*dim]
		if err := r.encoder.EncodeQueries(ctx, texts, instructions, dst); err != nil {
			return nil, fmt.Errorf("encode queries: %w", err)
		}
		for i := range texts {
			v := dst[i*dim : (i+1)*dim]
			if !Finite(v) {
				return nil, fmt.Errorf("the vector of query %q has a value that is not finite", queries[lo+i].ID)
			}
			if r.opts.Similarity != Dot {
				normalise(v)
			}
		}
	}
	return vectors, nil
}

// block is a part of the corpus, as vectors.
type block struct {
	docs    []int32 // document numbers, ascending
	vectors vectors // vectors of docs
	lengths []float64
	memory  []float32    // for vectors from the encoder; nil until the first
	codes   *codes.Codes // codes of the vectors; nil until a search makes them
}

func (b *block) reset() {
	b.docs, b.lengths = b.docs[:0], b.lengths[:0]
	b.vectors.reset()
	b.codes = nil
}

// blocks encodes the documents in scope, in blocks of at most size documents. The memory of a
// block is reused for the next.
func (r *Dense) blocks(ctx context.Context, sc *Scope, size int) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		wanted, n := sc.Wanted()
		f := &filler{dense: r, scope: sc, size: min(size, n), of: n, block: &block{vectors: vectors{dim: r.encoder.Dim()}}}
		err := sc.EachDocument(ctx, func(number int32, d datasets.Document) error {
			if !wanted(number) {
				return nil
			}
			full, err := f.add(ctx, number, d)
			if full && err == nil {
				if !yield(f.block, nil) {
					return errEnough
				}
				f.block.reset()
			}
			return err
		})
		if err == nil {
			err = f.encode(ctx)
		}
		if err == nil && !sc.IsPart() { // a shard is too little to decide: see JoinShards
			err = f.same.check()
		}
		if err != errEnough {
			yield(f.block, err)
		}
	}
}

// errEnough ends a stream of blocks when the reader stops.
var errEnough = errors.New("enough")
