package catalog

import (
	"cmp"
	"fmt"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/approximate"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// chroma is the engine of an index on a Chroma server.
const chroma = "chroma"

// completeIndex fills in defaults and returns an error for invalid settings.
func completeIndex(i *spec.Index) error {
	if i.Engine == "" {
		if *i != (spec.Index{}) {
			return usage.Errorf("the graph of an index (neighbors, build, search) needs its engine: %s", chroma)
		}
		return nil
	}
	if err := nearest.OneOf("engine of an index", i.Engine, chroma); err != nil {
		return usage.Error{Err: err}
	}
	if i.Neighbors < 0 || i.Build < 0 || i.Search < 0 {
		return usage.Errorf("index: neighbors %d, build %d, search %d: want at least 1 of each", i.Neighbors, i.Build, i.Search)
	}
	usual := approximate.UsualGraph()
	i.Neighbors, i.Build, i.Search = cmp.Or(i.Neighbors, usual.Neighbors), cmp.Or(i.Build, usual.Build), cmp.Or(i.Search, usual.Search)
	return nil
}

// addIndexTo adds the settings that affect results.
func (o *ModelOptions) addIndexTo(c results.Config) {
	i := o.Index
	if i.Engine == "" || completeIndex(&i) != nil { // reported when it is opened
		return
	}
	c[results.Index] = i.Engine
	for key, value := range map[string]int{"index.neighbors": i.Neighbors, "index.build": i.Build, "index.search": i.Search} {
		c[key] = fmt.Sprint(value)
	}
}

// HasIndex reports whether a server searches the vectors.
func (o *ModelOptions) HasIndex() bool { return o.Index.Engine != "" }

// checkIndex returns an error if no opened model uses the index.
func (m *Opener) checkIndex() error {
	if m.HasIndex() && !m.indexed {
		return usage.Errorf("--index %s: %s does not give a single vector for a text, which a server could keep", m.Index.Engine, strings.Join(m.models(), ", "))
	}
	return nil
}

// finding is dense retrieval that finds documents: exactly, or through a server that identifies
// the encoder's vectors by their source.
func (m *Opener) finding(name string, enc runners.Encoder, kind runners.Similarity, source func() (string, error)) (runners.Retriever, error) {
	exact, err := m.newDense(name, enc, kind)
	if err != nil || m.Index.Engine == "" {
		return m.Divided(exact), err
	}
	m.indexed = true
	if m.Remote.IndexURL == "" {
		return nil, usage.Errorf("--index %s: the address of its server is missing; give it with --index-url, such as http://localhost:8000", m.Index.Engine)
	}
	server, err := approximate.NewChroma(m.Remote.IndexURL)
	if err != nil {
		return nil, usage.Error{Err: fmt.Errorf("--index-url: %w", err)}
	}
	graph := m.Index
	if err := completeIndex(&graph); err != nil {
		return nil, err
	}
	of, err := source()
	if err != nil {
		return nil, err
	}
	narrow, err := runners.Shorten(enc, m.Dims)
	if err != nil {
		return nil, err
	}
	kind, err = runners.ParseSimilarity(string(kind))
	if err != nil {
		return nil, err
	}
	return approximate.New(name, narrow, exact, server, approximate.Options{
		Similarity: kind, Graph: approximate.Graph{Neighbors: graph.Neighbors, Build: graph.Build, Search: graph.Search}, Source: of, Measured: m.approximated,
	}), nil
}

// approximated records a search on a server.
func (m *Opener) approximated(s approximate.Search) {
	a := results.Approximation{Server: s.Server, Collection: s.Collection, Task: s.Task, Documents: s.Documents, Queries: s.Recall.Queries}
	for _, at := range s.Recall.At {
		a.Recall = append(a.Recall, results.RecallAt(at))
	}
	m.Approximations = append(m.Approximations, a)
}
