package approximate_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fakeChroma speaks as much of Chroma's interface as is asked for, compares all vectors,
// and passes over some.
type fakeChroma struct {
	mu          sync.Mutex
	collections map[string]*fakeCollection
	requests    map[string]int // by the end of their path
	most        int            // vectors at once

	misses func(id string) bool                                  // documents that no query finds; nil: none
	fail   func(request string, nth int) (status int, do string) // 0: it is answered; do "after": as if the answer was lost
	change func(answer map[string]any)                           // of an answer to open or query
}

type fakeCollection struct {
	made    map[string]any
	vectors map[string][]float32
	sent    map[string]int // how often each was
}

func newFake(t *testing.T) (*fakeChroma, string) {
	f := &fakeChroma{collections: map[string]*fakeCollection{}, requests: map[string]int{}, most: 5461}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

// only is the one collection there is.
func (f *fakeChroma) only(t *testing.T) *fakeCollection {
	t.Helper()
	if len(f.collections) != 1 {
		t.Fatalf("%d collections, want 1", len(f.collections))
	}
	for _, c := range f.collections {
		return c
	}
	return nil
}

func (f *fakeChroma) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v2")
	if !ok {
		http.NotFound(w, r)
		return
	}
	name := path[strings.LastIndex(path, "/")+1:]
	f.requests[name]++
	if f.fail != nil {
		if status, do := f.fail(name, f.requests[name]); status != 0 {
			if do == "after" {
				f.answer(httptest.NewRecorder(), r, path, name)
			}
			w.Header().Set("Retry-After", "0.001")
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":"ChromaError","message":"made up"}`)
			return
		}
	}
	f.answer(w, r, path, name)
}

func (f *fakeChroma) answer(w http.ResponseWriter, r *http.Request, path, name string) {
	say := func(status int, answer any) {
		if m, ok := answer.(map[string]any); ok && f.change != nil {
			f.change(m)
		}
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(answer)
	}
	var asked struct {
		Name          string
		Metadata      any
		Configuration any
		IDs           []string
		Embeddings    [][]float32
		Queries       [][]float32 `json:"query_embeddings"`
		N             int         `json:"n_results"`
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			say(http.StatusBadRequest, map[string]any{"error": "InvalidArgumentError", "message": err.Error()})
			return
		}
	}
	switch name {
	case "version":
		say(http.StatusOK, "1.0.0")
		return
	case "pre-flight-checks":
		say(http.StatusOK, map[string]any{"max_batch_size": f.most})
		return
	case "collections":
		c := f.collections[asked.Name]
		if c == nil {
			c = &fakeCollection{made: map[string]any{"id": asked.Name, "metadata": asked.Metadata, "configuration_json": asked.Configuration},
				vectors: map[string][]float32{}, sent: map[string]int{}}
			f.collections[asked.Name] = c
		}
		say(http.StatusOK, c.made)
		return
	}
	parts := strings.Split(path, "/")
	c := f.collections[parts[len(parts)-2]]
	if c == nil {
		say(http.StatusNotFound, map[string]any{"error": "NotFoundError", "message": "no such collection"})
		return
	}
	switch name {
	case "count":
		say(http.StatusOK, len(c.vectors))
	case "get":
		held := []string{}
		for _, id := range asked.IDs {
			if c.vectors[id] != nil {
				held = append(held, id)
			}
		}
		say(http.StatusOK, map[string]any{"ids": held})
	case "upsert":
		for i, id := range asked.IDs {
			c.vectors[id] = asked.Embeddings[i]
			c.sent[id]++
		}
		say(http.StatusOK, map[string]any{})
	case "query":
		say(http.StatusOK, c.query(asked.Queries, asked.N, f.misses))
	}
}

func (c *fakeCollection) query(queries [][]float32, n int, misses func(string) bool) map[string]any {
	ids, distances := [][]string{}, [][]float32{}
	for _, q := range queries {
		by := map[string]float32{}
		found := []string{}
		for id, v := range c.vectors {
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
