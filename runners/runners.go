// Package runners turns a task into a ranking. All rankings have the same order of ties. The
// retrievers are dense retrieval, late interaction and learned sparse vectors with any encoder,
// BM25, reranking, fusion, baselines without a model, and saved run files.
//
// It has no neural network: encoders come in through interfaces (Encoder, LateEncoder,
// SparseEncoder), which types of training/encoder implement.
package runners

import (
	"context"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// Retriever ranks the documents of a task for each of its queries. Rankings are sorted by score
// descending, then document ID descending by bytes. They have at most depth documents, only
// candidates of the query and no excluded documents.
type Retriever interface {
	Name() string
	Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error)
}

// Encoder maps texts to vectors of Dim float32 values. Row i of dst (dst[i*Dim:(i+1)*Dim])
// receives the vector of text i, so dst must hold len(texts)*Dim values. The encoder decides
// how query and instruction are joined. A vector depends by no more than 1e-6 on the other
// texts in the batch.
type Encoder interface {
	Dim() int
	EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error
	EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error
}
