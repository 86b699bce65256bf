// Package chromatest is a fake Chroma server for tests, on loopback and in memory. No program
// links it.
package chromatest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server implements the part of Chroma's interface that package approximate uses. It compares
// all vectors except those of the documents in Misses.
type Server struct {
	URL string

	Collections map[string]*Collection
	Requests    map[string]int // number of requests by the end of their path
	Most        int            // largest number of vectors in a request

	Misses func(id string) bool                                  // documents that no query finds; nil: none
	Fail   func(request string, nth int) (status int, lost bool) // status for the nth request, 0: no failure; lost: the request was executed, but its answer is lost
	Change func(answer map[string]any)                           // changes an answer that is an object

	mu sync.Mutex
}

// Collection is a stored collection.
type Collection struct {
	Vectors map[string][]float32
	Sent    map[string]int // number of times each vector was sent

	made map[string]any // the collection as returned to clients
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{Collections: map[string]*Collection{}, Requests: map[string]int{}, Most: 5461}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	s.URL = at.URL
	return s
}

// Only returns the only collection.
func (s *Server) Only(t testing.TB) *Collection {
	t.Helper()
	if len(s.Collections) != 1 {
		t.Fatalf("%d collections, want 1", len(s.Collections))
	}
	for _, c := range s.Collections {
		return c
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v2")
	if !ok {
		http.NotFound(w, r)
		return
	}
	name := path[strings.LastIndex(path, "/")+1:]
	s.Requests[name]++
	if s.Fail != nil {
		if status, lost := s.Fail(name, s.Requests[name]); status != 0 {
			if lost {
				s.answer(httptest.NewRecorder(), r, path, name)
			}
			w.Header().Set("Retry-After", "0.001")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":"ChromaError","message":"made up"}`)
			return
		}
	}
	s.answer(w, r, path, name)
}

// asked holds the fields of all request bodies.
type asked struct {
	Name          string
	Metadata      any
	Configuration any
	IDs           []string
	Embeddings    [][]float32
	Queries       [][]float32 `json:"query_embeddings"`
	N             int         `json:"n_results"`
}

// answer handles a request, selected by the end of its path.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, path, name string) {
	var a asked
	status, answer := http.StatusOK, any(nil)
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			status, answer = refuse(http.StatusBadRequest, "InvalidArgumentError", err.Error())
		}
	}
	parts := strings.Split(path, "/")
	c := s.Collections[parts[len(parts)-2]]
	switch {
	case answer != nil:
	case name == "version":
		answer = "1.0.0"
	case name == "pre-flight-checks":
		answer = map[string]any{"max_batch_size": s.Most}
	case name == "collections":
		answer = s.open(&a)
	case c == nil:
		status, answer = refuse(http.StatusNotFound, "NotFoundError", "no such collection")
	default:
		answer = s.ask(c, name, &a)
	}
	if object, ok := answer.(map[string]any); ok && s.Change != nil {
		s.Change(object)
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer)
}

func refuse(status int, kind, message string) (int, any) {
	return status, map[string]any{"error": kind, "message": message}
}

// open creates a collection, or finds it.
func (s *Server) open(a *asked) map[string]any {
	if s.Collections[a.Name] == nil {
		s.Collections[a.Name] = &Collection{Vectors: map[string][]float32{}, Sent: map[string]int{},
			made: map[string]any{"id": a.Name, "metadata": a.Metadata, "configuration_json": a.Configuration}}
	}
	return maps.Clone(s.Collections[a.Name].made)
}

// ask handles a request to a collection.
func (s *Server) ask(c *Collection, name string, a *asked) any {
	switch name {
	case "count":
		return len(c.Vectors)
	case "get":
		held := []string{}
		for _, id := range a.IDs {
			if c.Vectors[id] != nil {
				held = append(held, id)
			}
		}
		return map[string]any{"ids": held}
	case "upsert":
		for i, id := range a.IDs {
			c.Vectors[id] = a.Embeddings[i]
			c.Sent[id]++
		}
		return map[string]any{}
	case "query":
		return c.query(a.Queries, a.N, s.Misses)
	}
	return nil
}

// query compares all vectors and ranks by Chroma's distance: 1 minus the inner product.
func (c *Collection) query(queries [][]float32, n int, misses func(string) bool) map[string]any {
	ids, distances := [][]string{}, [][]float32{}
	for _, q := range queries {
		by := map[string]float32{}
		found := []string{}
		for id, v := range c.Vectors {
			if misses != nil && misses(id) {
				continue
			}
			found, by[id] = append(found, id), 1
			for k, x := range v {
				by[id] -= x * q[k]
			}
		}
		slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(a, b)) })
		found = found[:min(n, len(found))]
		d := []float32{}
		for _, id := range found {
			d = append(d, by[id])
		}
		ids, distances = append(ids, found), append(distances, d)
	}
	return map[string]any{"ids": ids, "distances": distances}
}
