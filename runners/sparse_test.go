package runners_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners"
)

// sparseFake is an encoder with given weights for each text.
type sparseFake struct {
	terms   int
	weights map[string]map[int32]float32
	err     error
}

func (f *sparseFake) Terms() int { return f.terms }

func (f *sparseFake) EncodeQueryTerms(_ context.Context, queries, _ []string) ([]int32, []float32, []int, error) {
	return f.encode(queries)
}

func (f *sparseFake) EncodeDocumentTerms(_ context.Context, _, texts []string) ([]int32, []float32, []int, error) {
	return f.encode(texts)
}

func (f *sparseFake) encode(texts []string) (terms []int32, weights []float32, counts []int, err error) {
	for _, text := range texts {
		counts = append(counts, len(f.weights[text]))
		for term := range int32(f.terms + 10) {
			if w, ok := f.weights[text][term]; ok {
				terms, weights = append(terms, term), append(weights, w)
			}
		}
	}
	return terms, weights, counts, f.err
}

// sparseWorld is a task of random weights. Many are binary fractions, so that ties occur.
func sparseWorld(queries, documents, terms int) (*datasets.Task, *sparseFake) {
	rng := rand.New(rand.NewPCG(9, uint64(documents)))
	f := &sparseFake{terms: terms, weights: map[string]map[int32]float32{}}
	text := func(name string, n int) string {
		f.weights[name] = map[int32]float32{}
		for range n {
			f.weights[name][int32(rng.IntN(terms))] = float32(1+rng.IntN(4)) / 4
		}
		return name
	}
	task := &datasets.Task{Name: "made up"}
	for i := range queries {
		id := fmt.Sprintf("q%d", i)
		task.Queries = append(task.Queries, datasets.Query{ID: id, Text: text(id, rng.IntN(6))})
	}
	var docs []datasets.Document
	for i := range documents {
		id := fmt.Sprintf("d%d", i)
		docs = append(docs, datasets.Document{ID: id, Text: text(id, rng.IntN(12))})
	}
	task.Corpus = datasets.MemoryCorpus(docs)
	return task, f
}

func (f *sparseFake) dot(a, b string) (sum float64) {
	for term, w := range f.weights[a] {
		sum += float64(w) * float64(f.weights[b][term])
	}
	return sum
}

// ranked is the definition: every document that shares a term, by score descending, then ID
// descending by bytes.
func (f *sparseFake) ranked(query string, docs []string, all bool) []string {
	var list []string
	for _, d := range docs {
		if all || f.dot(query, d) != 0 {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if x, y := f.dot(query, a), f.dot(query, b); x != y {
			if x > y {
				return -1
			}
			return 1
		}
		return strings.Compare(b, a)
	})
	return list
}

// TestRankings: rankings equal those of the definition, for complete corpora, in batches of any
// size, and for candidates, which are all ranked.
func TestRankings(t *testing.T) {
	task, f := sparseWorld(40, 300, 30)
	var ids []string
	for i := range 300 {
		ids = append(ids, fmt.Sprintf("d%d", i))
	}
	for _, batch := range []int{0, 1, 77} {
		run, err := runners.NewSparse("sparse", f, batch).Retrieve(t.Context(), task, 300)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range task.Queries {
			want := f.ranked(q.ID, ids, false)
			if len(run[q.ID]) != len(want) {
				t.Fatalf("%s: %d documents, want %d", q.ID, len(run[q.ID]), len(want))
			}
			for i, h := range run[q.ID] {
				if h.Doc != want[i] || math.Abs(h.Score-f.dot(q.ID, h.Doc)) > 1e-12 {
					t.Fatalf("%s: place %d is %v, want %s with %g", q.ID, i, h, want[i], f.dot(q.ID, want[i]))
				}
			}
		}
	}
	task.Candidates = map[string][]string{}
	for i, q := range task.Queries {
		task.Candidates[q.ID] = ids[i : i+20]
	}
	run, err := runners.NewSparse("sparse", f, 0).Retrieve(t.Context(), task, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range task.Queries {
		want := f.ranked(q.ID, ids[i:i+20], true)[:10]
		for k, h := range run[q.ID] {
			if h.Doc != want[k] {
				t.Fatalf("%s: place %d is %v, want %s", q.ID, k, h, want[k])
			}
		}
	}
}

func TestSparseErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sparseFake)
		want   string
	}{
		{"encoder", func(f *sparseFake) { f.err = errors.New("no power") }, "encode queries: no power"},
		{"beyond", func(f *sparseFake) { f.weights["d1"] = map[int32]float32{31: 1} }, `encode documents: document "d1" has term 31 after -1, of 30 terms`},
		{"not finite", func(f *sparseFake) { f.weights["d1"] = map[int32]float32{3: float32(math.Inf(1))} }, `document "d1" has a weight that is not finite`},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, f := sparseWorld(3, 5, 30)
			c.change(f)
			if _, err := runners.NewSparse("sparse", f, 0).Retrieve(t.Context(), task, 3); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// sparseMemory stores the data made from texts.
type sparseMemory map[string][]byte

func (m sparseMemory) Data(ctx context.Context, kind string, a, b []string, encode func(context.Context, []string, []string) ([][]byte, error)) ([][]byte, error) {
	all := make([][]byte, len(a))
	for i := range a {
		key := strings.Join([]string{kind, a[i], b[i]}, "\x00")
		if m[key] == nil {
			made, err := encode(ctx, a[i:i+1], b[i:i+1])
			if err != nil {
				return nil, err
			}
			m[key] = made[0]
		}
		all[i] = m[key]
	}
	return all, nil
}

// TestSparseStored: stored vectors give the same rankings as new ones.
func TestSparseStored(t *testing.T) {
	task, f := sparseWorld(10, 50, 30)
	want, err := runners.NewSparse("sparse", f, 0).Retrieve(t.Context(), task, 50)
	if err != nil {
		t.Fatal(err)
	}
	keep := sparseMemory{}
	for round := range 2 {
		run, err := runners.NewSparse("sparse", runners.StoredSparse(f, keep), 7).Retrieve(t.Context(), task, 50)
		if err != nil {
			t.Fatal(err)
		}
		for query := range want {
			if !slices.Equal(run[query], want[query]) {
				t.Fatalf("%s: %v, want %v", query, run[query], want[query])
			}
		}
		if round == 0 {
			f.err = errors.New("asked again")
		}
	}
}

// TestSparseShards: shards that are ranked separately and joined give the ranking of the
// complete corpus.
func TestSparseShards(t *testing.T) {
	task, f := sparseWorld(40, 300, 30)
	r := runners.NewSparse("sparse", f, 7)
	for _, depth := range []int{5, 300} {
		want, err := r.Retrieve(t.Context(), task, depth)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{1, 3, 7, 301} {
			var all []trec.Run
			for n := 1; n <= of; n++ {
				part := *task
				part.Shard = datasets.Shard{Number: n, Of: of}
				run, err := r.Retrieve(t.Context(), &part, depth)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, run)
			}
			for query, got := range runners.JoinShards(task, all, depth) {
				if !slices.Equal(got, want[query]) {
					t.Errorf("%d shards, depth %d, %s: %v, want %v", of, depth, query, got, want[query])
				}
			}
		}
	}
}
