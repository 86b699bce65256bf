// Package runners turns a task into a ranking, with the one order of ties that all rankings
// have: dense retrieval, late interaction and learned sparse vectors over any encoder, BM25,
// reranking, fusion, baselines without a model, and saved run files.
//
// It holds no neural network: encoders come in through interfaces (Encoder, LateEncoder,
// SparseEncoder), which training/encoder satisfies by its shape.
package runners

import (
	"context"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Retriever ranks the documents of a task for each of its queries. The rankings
// come sorted by score descending, then document ID descending by bytes, at most
// depth documents each, within the query's candidates and without its excluded
// documents.
type Retriever interface {
	Name() string
	Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error)
}

// Encoder maps texts to vectors of Dim float32 values. Row i of dst
// (dst[i*Dim:(i+1)*Dim]) receives text i, so dst must hold len(texts)*Dim
// values. How query and instruction are joined is the encoder's choice.
// A vector does not depend on the texts encoded beside it beyond 1e-6.
type Encoder interface {
	Dim() int
	EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error
	EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error
}
