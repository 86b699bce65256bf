package approximate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"infbench/internal/endpoint"
)

// Chroma is a Chroma server, used through version 2 of its HTTP interface, which servers from
// 1.0 on have (https://docs.trychroma.com; the server describes it at /openapi.json).
// Collections are in its default tenant and database.
type Chroma struct {
	address string
	http    *endpoint.Client
}

const collections = "/tenants/default_tenant/databases/default_database/collections"

// NewChroma returns a client of the server at an address such as http://localhost:8000. It
// opens no connection yet.
func NewChroma(address string) (*Chroma, error) {
	c, err := endpoint.New(endpoint.Options{Address: address, Timeout: 10 * time.Minute})
	if err != nil {
		return nil, fmt.Errorf("Chroma server: %w", err)
	}
	return &Chroma{c.Address, c}, nil
}

// Version returns the server's name and version. If there is no server, it fails at once.
func (c *Chroma) Version(ctx context.Context) (version string, err error) {
	if err := c.once(ctx, "/version", nil, &version); err != nil {
		return "", fmt.Errorf("Chroma server %s: %w", c.address, err)
	}
	return version, nil
}

// MostAtOnce is the maximum number of vectors in a request.
func (c *Chroma) MostAtOnce(ctx context.Context) (int, error) {
	var checks struct {
		Most int `json:"max_batch_size"`
	}
	if err := c.call(ctx, "/pre-flight-checks", nil, &checks); err != nil {
		return 0, err
	}
	if checks.Most < 1 {
		return 0, fmt.Errorf("Chroma server %s takes %d vectors at once", c.address, checks.Most)
	}
	return checks.Most, nil
}

// Collection describes a collection on a server.
type Collection struct {
	Name     string
	Identity string // identity of its vectors
	Model    string // for people who look at the server
	Graph    Graph
}

// Opened is a collection on the server.
type Opened struct{ Name, id string }

// hnsw is a graph in Chroma's notation, for inner products.
type hnsw struct {
	Space     string `json:"space"`
	Neighbors int    `json:"max_neighbors"`
	Build     int    `json:"ef_construction"`
	Search    int    `json:"ef_search"`
}

// Open creates or finds a collection. If it has other vectors or another graph, that is an
// error.
func (c *Chroma) Open(ctx context.Context, want Collection) (Opened, error) {
	type configuration struct {
		HNSW hnsw `json:"hnsw"`
	}
	type metadata struct {
		Identity string `json:"infbench"`
		Model    string `json:"model"`
	}
	graph := hnsw{"ip", want.Graph.Neighbors, want.Graph.Build, want.Graph.Search}
	var is struct {
		ID            string        `json:"id"`
		Metadata      metadata      `json:"metadata"`
		Configuration configuration `json:"configuration_json"`
	}
	err := c.call(ctx, collections, map[string]any{
		"name": want.Name, "get_or_create": true, "metadata": metadata{want.Identity, want.Model}, "configuration": configuration{graph},
	}, &is)
	switch {
	case err != nil:
		return Opened{}, err
	case is.Metadata.Identity != want.Identity:
		return Opened{}, fmt.Errorf("Chroma server %s: collection %s has something else (%q, not %q): delete it on the server", c.address, want.Name, is.Metadata.Identity, want.Identity)
	case is.Configuration.HNSW != graph:
		return Opened{}, fmt.Errorf("Chroma server %s: collection %s is searched by %+v, not %+v: delete it on the server", c.address, want.Name, is.Configuration.HNSW, graph)
	}
	return Opened{want.Name, is.ID}, nil
}

// Count is the number of vectors of a collection.
func (c *Chroma) Count(ctx context.Context, at Opened) (n int, err error) {
	return n, c.call(ctx, collections+"/"+at.id+"/count", nil, &n)
}

// Held returns those of some numbers that a collection has.
func (c *Chroma) Held(ctx context.Context, at Opened, numbers []int32) (map[int32]bool, error) {
	var answer struct {
		IDs []string `json:"ids"`
	}
	asked := map[string]any{"ids": names(numbers), "include": []string{}, "limit": len(numbers)}
	if err := c.call(ctx, collections+"/"+at.id+"/get", asked, &answer); err != nil {
		return nil, err
	}
	held := make(map[int32]bool, len(answer.IDs))
	for _, id := range answer.IDs {
		n, err := number(id)
		if err != nil {
			return nil, err
		}
		held[n] = true
	}
	return held, nil
}

// Upsert stores vectors, all of one length, in a collection under numbers.
func (c *Chroma) Upsert(ctx context.Context, at Opened, numbers []int32, vectors []float32) error {
	return c.call(ctx, collections+"/"+at.id+"/upsert",
		map[string]any{"ids": names(numbers), "embeddings": split(vectors, len(numbers))}, nil)
}

// Hit is a found document.
type Hit struct {
	Number int32
	Score  float64
}

// Nearest finds approximately the n largest inner products with each of some queries.
func (c *Chroma) Nearest(ctx context.Context, at Opened, vectors []float32, queries, n int) ([][]Hit, error) {
	if n == 0 {
		return make([][]Hit, queries), nil
	}
	var answer struct {
		IDs       [][]string   `json:"ids"`
		Distances [][]*float64 `json:"distances"`
	}
	asked := map[string]any{"query_embeddings": split(vectors, queries), "n_results": n, "include": []string{"distances"}}
	if err := c.call(ctx, collections+"/"+at.id+"/query", asked, &answer); err != nil {
		return nil, err
	}
	if len(answer.IDs) != queries || len(answer.Distances) != queries {
		return nil, fmt.Errorf("the server answered %d queries with %d rankings and %d lists of distances", queries, len(answer.IDs), len(answer.Distances))
	}
	found := make([][]Hit, queries)
	for i, ids := range answer.IDs {
		if len(answer.Distances[i]) != len(ids) {
			return nil, fmt.Errorf("the server answered with %d documents and %d distances", len(ids), len(answer.Distances[i]))
		}
		for k, id := range ids {
			doc, err := number(id)
			if err != nil {
				return nil, err
			}
			distance := answer.Distances[i][k]
			if distance == nil {
				return nil, fmt.Errorf("the server gave document %s no distance", id)
			}
			found[i] = append(found[i], Hit{doc, 1 - *distance}) // its distance is 1 minus the inner product
		}
	}
	return found, nil
}

// names converts numbers to the names of documents on the server.
func names(numbers []int32) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.Itoa(int(n))
	}
	return out
}

// number is the inverse of names.
func number(id string) (int32, error) {
	n, err := strconv.ParseInt(id, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("the server named a document %.40q, which infbench did not upload", id)
	}
	return int32(n), nil
}

// split divides vectors into n vectors of one length.
func split(vectors []float32, n int) [][]float32 {
	out, dim := make([][]float32, n), len(vectors)/max(n, 1)
	for i := range out {
		out[i] = vectors[i*dim : (i+1)*dim]
	}
	return out
}

// call is like once, but tries transient failures again.
func (c *Chroma) call(ctx context.Context, path string, in, out any) error {
	if err := c.http.Retry(ctx, func() error { return c.once(ctx, path, in, out) }); err != nil {
		return fmt.Errorf("Chroma server %s: %w", c.address, err)
	}
	return nil
}

// mostBytes is the size limit of an answer.
const mostBytes = 1 << 28

// once sends a request with a JSON body, or without one if in is nil, and decodes the answer
// into out unless it is nil.
func (c *Chroma) once(ctx context.Context, path string, in, out any) error {
	r := endpoint.Request{Path: "/api/v2" + path}
	if in != nil {
		var err error
		if r.Body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	text, err := c.http.Send(ctx, r, mostBytes)
	switch {
	case err != nil:
		return refusal(err)
	case out == nil:
		return nil
	}
	return endpoint.Decode(text, out)
}

// refusal returns an error with the server's own message, if there is one.
func refusal(err error) error {
	var status *endpoint.Status
	var said struct{ Error, Message string }
	if !errors.As(err, &status) || json.Unmarshal([]byte(status.Said), &said) != nil || said.Message == "" {
		return err
	}
	own := errors.New(said.Error + ": " + said.Message)
	var passing *endpoint.Passing
	if errors.As(err, &passing) {
		return &endpoint.Passing{Err: own, RetryAfter: passing.RetryAfter}
	}
	return own
}
