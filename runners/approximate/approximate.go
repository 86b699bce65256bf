// Package approximate retrieves through a server that stores vectors and finds the nearest to a
// query without comparing all, for corpora on which an exact search would take too long. Its
// misses are measured: the exact search ranks a sample of the queries, and the recall of its
// best documents is reported with the results.
//
// It has no neural network and no index: vectors come in through runners.Encoder, and servers
// are used through their HTTP interfaces (Chroma).
package approximate

import (
	"context"
	"encoding/json"
	"fmt"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/metrics/trec"
	"infbench/runners"
)

// Graph is the way in which a server links and searches vectors: the parameters of HNSW (Malkov
// and Yashunin 2016, arXiv 1603.09320), each at least 1.
type Graph struct {
	Neighbors int // links of a vector, M
	Build     int // candidates for the links of a vector, efConstruction
	Search    int // candidates for a query, ef; at least the number of requested documents
}

// UsualGraph finds more than the defaults of servers, with twice the memory for links.
func UsualGraph() Graph { return Graph{Neighbors: 32, Build: 200, Search: 200} }

// Options are the settings of a search.
type Options struct {
	Similarity runners.Similarity
	Graph      Graph
	// Source names everything that determines the vectors of the encoder: a collection on the
	// server is identified by it and by the content of the corpus.
	Source string
	// Measured is called after every search of a complete corpus.
	Measured func(Search)
}

// Search describes a search and its recall of the exact search's documents.
type Search struct {
	Server     string // including its version
	Collection string // on the server
	Task       string
	Documents  int
	Recall     Recall
}

// Retriever ranks the documents that a server finds.
type Retriever struct {
	name    string
	encoder runners.Encoder
	exact   runners.Retriever
	server  *Chroma
	opts    Options
}

var _ runners.Retriever = (*Retriever)(nil)

// New returns retrieval through a server. name is shown on boards. exact is the exact search
// with the same encoder.
func New(name string, encoder runners.Encoder, exact runners.Retriever, server *Chroma, opts Options) *Retriever {
	return &Retriever{name, encoder, exact, server, opts}
}

// Name returns the name given to New.
func (r *Retriever) Name() string { return r.name }

// Retrieve uploads the vectors that the server does not have, requests the documents of each
// query, and measures their recall. If queries have candidates, it uses the exact search, which
// is fast enough.
//
// Scores are the server's, in float32. The server's links depend on the order in which it makes
// them, so a corpus that is uploaded again may be ranked differently.
func (r *Retriever) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if task.Candidates != nil {
		return r.exact.Retrieve(ctx, task, depth)
	}
	return runners.Retrieve(ctx, r.name, task, depth, func(ctx context.Context, sc *runners.Scope) (trec.Run, error) {
		if sc.IsPart() {
			return nil, fmt.Errorf("a shard is searched exactly: the server divides its data by itself")
		}
		return r.search(ctx, sc, depth)
	})
}

// search is Retrieve for a task whose IDs are resolved.
func (r *Retriever) search(ctx context.Context, sc *runners.Scope, depth int) (trec.Run, error) {
	version, err := r.server.Version(ctx)
	if err != nil {
		return nil, err
	}
	identity, err := r.identity(sc.Task)
	if err != nil {
		return nil, err
	}
	at, err := r.server.Open(ctx, Collection{Name: "infbench-" + identity[:32], Identity: identity, Model: r.name, Graph: r.opts.Graph})
	if err != nil {
		return nil, err
	}
	if err := r.upload(ctx, sc, at); err != nil {
		return nil, fmt.Errorf("upload vectors to collection %s: %w", at.Name, err)
	}
	run, err := r.ask(ctx, sc, at, depth)
	if err != nil {
		return nil, fmt.Errorf("search collection %s: %w", at.Name, err)
	}
	recall, err := Measure(ctx, r.exact, sc.Task, run, depth)
	if err != nil {
		return nil, err
	}
	if r.opts.Measured != nil {
		r.opts.Measured(Search{"Chroma " + version, at.Name, sc.Task.Name, len(sc.IDs), recall})
	}
	return run, nil
}

// identity is a hash of everything that determines the vectors of a collection and how they are
// searched.
func (r *Retriever) identity(task *datasets.Task) (string, error) {
	documents, err := datasets.HashDocuments(task.Corpus)
	if err != nil {
		return "", fmt.Errorf("hash the documents: %w", err)
	}
	described, err := json.Marshal(struct {
		Source, Documents string
		Dim               int
		Similarity        runners.Similarity
		Graph             Graph
	}{r.opts.Source, documents, r.encoder.Dim(), r.opts.Similarity, r.opts.Graph})
	return disk.Sum(described), err
}

// prepare checks vectors and, for cosine, normalises them, so that inner products compare them;
// name returns the name of a vector.
func (r *Retriever) prepare(vectors []float32, name func(i int) string) error {
	dim := r.encoder.Dim()
	for i := range len(vectors) / dim {
		v := vectors[i*dim : (i+1)*dim]
		if !runners.Finite(v) {
			return fmt.Errorf("the vector of %s has a value that is not finite", name(i))
		}
		if r.opts.Similarity != runners.Dot {
			runners.ToUnit(v)
		}
	}
	return nil
}
