package approximate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit/chromatest"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/approximate"
)

// vectors is an encoder for texts that are row numbers.
type vectors struct {
	dim     int
	rows    map[string][]float32
	encoded int   // number of encoded documents
	stop    int   // documents after which it fails; 0: never
	err     error // the error of the failure
}

func (v *vectors) Dim() int { return v.dim }

func (v *vectors) EncodeQueries(_ context.Context, queries, _ []string, dst []float32) error {
	for i, q := range queries {
		copy(dst[i*v.dim:(i+1)*v.dim], v.rows[q])
	}
	return nil
}

func (v *vectors) EncodeDocuments(_ context.Context, _, texts []string, dst []float32) error {
	for i, text := range texts {
		if v.stop > 0 && v.encoded == v.stop {
			return v.err
		}
		v.encoded++
		copy(dst[i*v.dim:(i+1)*v.dim], v.rows[text])
	}
	return nil
}

// world is a task of Gaussian vectors, whose directions are spread as evenly as possible: the
// hardest case for a graph.
func world(queries, documents, dim int) (*datasets.Task, *vectors) {
	rng := rand.New(rand.NewPCG(11, uint64(documents)))
	v := &vectors{dim: dim, rows: map[string][]float32{}}
	draw := func(text string) string {
		row := make([]float32, dim)
		for k := range row {
			row[k] = float32(rng.NormFloat64())
		}
		v.rows[text] = row
		return text
	}
	task := &datasets.Task{Name: "made up"}
	for i := range queries {
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint("q", i), Text: draw(fmt.Sprint("q", i))})
	}
	var docs datasets.MemoryCorpus
	for i := range documents {
		docs = append(docs, datasets.Document{ID: fmt.Sprint("d", i), Text: draw(fmt.Sprint("d", i))})
	}
	task.Corpus = docs
	return task, v
}

// over is approximate retrieval on a world, with its measured searches.
func over(t *testing.T, address string, v *vectors, similarity runners.Similarity) (*approximate.Retriever, *[]approximate.Search) {
	t.Helper()
	server, err := approximate.NewChroma(address)
	if err != nil {
		t.Fatal(err)
	}
	measured := &[]approximate.Search{}
	exact := runners.NewDense("dense", v, runners.DenseOptions{Similarity: similarity})
	return approximate.New("dense", v, exact, server, approximate.Options{Similarity: similarity, Graph: approximate.UsualGraph(), Source: "made up",
		Measured: func(s approximate.Search) { *measured = append(*measured, s) }}), measured
}

// TestRetrieve: a server that compares all vectors gives the rankings of the exact search, also
// with excluded documents, all similarities and depths beyond the corpus.
func TestRetrieve(t *testing.T) {
	for _, similarity := range []runners.Similarity{runners.Cosine, runners.Dot} {
		for _, depth := range []int{7, 300} {
			t.Run(fmt.Sprint(similarity, depth), func(t *testing.T) {
				task, v := world(9, 200, 5)
				v.rows["d17"] = make([]float32, 5) // a zero vector
				task.Excluded = map[string][]string{"q1": {"d3", "d4"}, "q2": {"elsewhere"}}
				want, err := runners.NewDense("dense", v, runners.DenseOptions{Similarity: similarity}).Retrieve(t.Context(), task, depth)
				if err != nil {
					t.Fatal(err)
				}
				f := chromatest.New(t)
				r, measured := over(t, f.URL, v, similarity)
				got, err := r.Retrieve(t.Context(), task, depth)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				if len(*measured) != 1 {
					t.Fatalf("it reported %d searches", len(*measured))
				}
				s := (*measured)[0]
				if s.Server != "Chroma 1.0.0" || s.Documents != 200 || s.Recall.Queries != 9 || len(s.Recall.At) == 0 {
					t.Errorf("measured %+v", s)
				}
				for _, at := range s.Recall.At {
					if at.Mean != 1 || at.Least != 1 {
						t.Errorf("recall %+v of a search that misses nothing", at)
					}
				}
			})
		}
	}
}

// same compares rankings whose scores may differ in the last digits of float32.
func same(t *testing.T, got, want trec.Run) {
	t.Helper()
	for query, hits := range want {
		if len(got[query]) != len(hits) {
			t.Errorf("query %s has %d documents, want %d", query, len(got[query]), len(hits))
			continue
		}
		for i, hit := range hits {
			if g := got[query][i]; g.Doc != hit.Doc || math.Abs(g.Score-hit.Score) > 2e-6*max(1, math.Abs(hit.Score)) {
				t.Errorf("query %s, rank %d: %v, want %v", query, i+1, g, hit)
			}
		}
	}
}

// TestRecall: misses of the server are measured; it knows only every tenth of 100 documents.
func TestRecall(t *testing.T) {
	task, v := world(30, 100, 4)
	f := chromatest.New(t)
	f.Misses = func(id string) bool { return !strings.HasSuffix(id, "0") }
	r, measured := over(t, f.URL, v, runners.Cosine)
	if _, err := r.Retrieve(t.Context(), task, 100); err != nil {
		t.Fatal(err)
	}
	at := (*measured)[0].Recall.At
	if len(at) != 3 || at[2].K != 100 || math.Abs(at[2].Mean-0.1) > 1e-12 || math.Abs(at[2].Least-0.1) > 1e-12 {
		t.Errorf("recall %+v, want 0.1 of all 100", at)
	}
	if !(at[0].Mean < 0.5) || at[0].Least != 0 {
		t.Errorf("recall of the best %+v: the best is one of the ten known ones", at[0])
	}
}

// TestUploadGoesOn: an interrupted upload continues. No document is encoded or sent twice, and
// a third run encodes only for the exact search.
func TestUploadGoesOn(t *testing.T) {
	task, v := world(3, 10_000, 2)
	f := chromatest.New(t)
	f.Most = 100
	r, _ := over(t, f.URL, v, runners.Cosine)
	v.stop, v.err = 2_550, errors.New("killed")
	if _, err := r.Retrieve(t.Context(), task, 5); !errors.Is(err, v.err) {
		t.Fatal(err)
	}
	c := f.Only(t)
	if n := len(c.Vectors); n != 2_500 {
		t.Fatalf("%d vectors were sent before", n)
	}
	v.stop, v.encoded = 0, 0
	if _, err := r.Retrieve(t.Context(), task, 5); err != nil {
		t.Fatal(err)
	}
	if want := 7_500 + 10_000; v.encoded != want {
		t.Errorf("%d documents were encoded, want the missing ones and the exact search's, %d", v.encoded, want)
	}
	for id, n := range c.Sent {
		if n != 1 {
			t.Errorf("document %s was sent %d times", id, n)
		}
	}
	upserts := f.Requests["upsert"]
	if _, err := r.Retrieve(t.Context(), task, 5); err != nil || f.Requests["upsert"] != upserts {
		t.Errorf("a third run sent %d requests, %v", f.Requests["upsert"]-upserts, err)
	}
}

// TestFaults: requests with a transient failure are sent again, also if only the answer was
// lost. The collection is then complete.
func TestFaults(t *testing.T) {
	for _, lost := range []bool{false, true} {
		task, v := world(3, 50, 2)
		f := chromatest.New(t)
		f.Most = 10
		f.Fail = func(request string, nth int) (int, bool) {
			if request != "version" && nth%2 == 1 {
				return http.StatusServiceUnavailable, lost
			}
			return 0, false
		}
		r, measured := over(t, f.URL, v, runners.Cosine)
		if _, err := r.Retrieve(t.Context(), task, 5); err != nil {
			t.Fatal(err)
		}
		if n := len(f.Only(t).Vectors); n != 50 || (*measured)[0].Recall.At[0].Mean != 1 {
			t.Errorf("lost %v: %d vectors, %+v", lost, n, *measured)
		}
	}
}

// TestIdentity: collections with other vectors, other documents or another graph are different.
func TestIdentity(t *testing.T) {
	task, v := world(2, 20, 3)
	f := chromatest.New(t)
	run := func(similarity runners.Similarity) {
		t.Helper()
		r, _ := over(t, f.URL, v, similarity)
		if _, err := r.Retrieve(t.Context(), task, 5); err != nil {
			t.Fatal(err)
		}
	}
	run(runners.Cosine)
	run(runners.Cosine)
	if len(f.Collections) != 1 {
		t.Errorf("%d collections of one", len(f.Collections))
	}
	run(runners.Dot)
	task.Corpus = append(task.Corpus.(datasets.MemoryCorpus), datasets.Document{ID: "d", Text: "d1"})
	run(runners.Cosine)
	if len(f.Collections) != 3 {
		t.Errorf("%d collections, want 3", len(f.Collections))
	}
}

// TestCandidates: candidates are compared exactly, and no request goes to the server.
func TestCandidates(t *testing.T) {
	task, v := world(1, 20, 3)
	task.Candidates = map[string][]string{"q0": {"d3", "d5"}}
	f := chromatest.New(t)
	r, measured := over(t, f.URL, v, runners.Cosine)
	run, err := r.Retrieve(t.Context(), task, 5)
	if err != nil || len(run["q0"]) != 2 || len(f.Requests) > 0 || len(*measured) > 0 {
		t.Errorf("%v, %v; requests %v, %d measured", run, err, f.Requests, len(*measured))
	}
}

// TestRefusals: every unexpected answer of a server is an error that explains it.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*chromatest.Server, *vectors, *datasets.Task)
		want   string
	}{
		{"refused", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Fail = func(request string, _ int) (int, bool) {
				if request == "upsert" {
					return http.StatusBadRequest, false
				}
				return 0, false
			}
		}, "upload vectors to collection infbench-"},
		{"another's", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["metadata"] != nil {
					a["metadata"] = map[string]any{"infbench": "something"}
				}
			}
		}, `has something else ("something"`},
		{"another graph", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["metadata"] != nil {
					a["configuration_json"] = map[string]any{"hnsw": map[string]any{"space": "l2"}}
				}
			}
		}, "is searched by {Space:l2"},
		{"a document unknown", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["distances"] != nil {
					a["ids"].([][]string)[0][0] = "99"
				}
			}
		}, `answered query "q0" with document 99`},
		{"a document twice", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["distances"] != nil {
					a["ids"].([][]string)[0][0] = a["ids"].([][]string)[0][1]
				}
			}
		}, "or was named before"},
		{"no number", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["distances"] != nil {
					a["ids"].([][]string)[0][0] = "x"
				}
			}
		}, `named a document "x", which infbench did not upload`},
		{"too few rankings", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) {
			f.Change = func(a map[string]any) {
				if a["distances"] != nil {
					a["ids"] = [][]string{}
				}
			}
		}, "answered 2 queries with 0 rankings"},
		{"not finite", func(_ *chromatest.Server, v *vectors, _ *datasets.Task) { v.rows["d7"][1] = float32(math.Inf(1)) }, `the vector of document "d7" has a value that is not finite`},
		{"a shard", func(_ *chromatest.Server, _ *vectors, task *datasets.Task) {
			task.Shard = datasets.Shard{Number: 1, Of: 2}
		}, "a shard is searched exactly"},
		{"none at once", func(f *chromatest.Server, _ *vectors, _ *datasets.Task) { f.Most = 0 }, "takes 0 vectors at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, v := world(2, 20, 3)
			f := chromatest.New(t)
			c.change(f, v, task)
			r, _ := over(t, f.URL, v, runners.Cosine)
			if _, err := r.Retrieve(t.Context(), task, 5); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	task, v := world(1, 2, 2)
	r, _ := over(t, "http://127.0.0.1:1", v, runners.Cosine)
	if _, err := r.Retrieve(t.Context(), task, 5); err == nil || !strings.Contains(err.Error(), "Chroma server http://127.0.0.1:1: ") {
		t.Errorf("no server: %v", err)
	}
	if _, err := approximate.NewChroma("localhost:8000"); err == nil || !strings.Contains(err.Error(), "want an http or https address") {
		t.Errorf("no address: %v", err)
	}
}

// TestForeignVectors: a collection with more documents than the corpus is refused.
func TestForeignVectors(t *testing.T) {
	task, v := world(1, 20, 3)
	f := chromatest.New(t)
	r, _ := over(t, f.URL, v, runners.Cosine)
	if _, err := r.Retrieve(t.Context(), task, 5); err != nil {
		t.Fatal(err)
	}
	f.Only(t).Vectors[strconv.Itoa(20)] = []float32{1, 0, 0}
	if _, err := r.Retrieve(t.Context(), task, 5); err == nil || !strings.Contains(err.Error(), "it has 21 documents, but the corpus has 20") {
		t.Error(err)
	}
}
