package runners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

// table is an encoder that looks vectors up by text and counts encoded texts.
type table struct {
	dim     int
	vectors map[string][]float32
	encoded int
}

func (e *table) Dim() int { return e.dim }

func (e *table) EncodeQueries(_ context.Context, queries, _ []string, dst []float32) error {
	return e.fill(queries, dst)
}

func (e *table) EncodeDocuments(_ context.Context, _, texts []string, dst []float32) error {
	e.encoded += len(texts)
	return e.fill(texts, dst)
}

func (e *table) fill(texts []string, dst []float32) error {
	if len(dst) != len(texts)*e.dim {
		return fmt.Errorf("dst has %d values for %d texts", len(dst), len(texts))
	}
	for i, text := range texts {
		v, ok := e.vectors[text]
		if !ok {
			return fmt.Errorf("no vector for %q", text)
		}
		copy(dst[i*e.dim:], v)
	}
	return nil
}

// randomTable is a task of documents and queries with vectors of small whole numbers, so that
// inner products are exact and many are equal.
func randomTable(documents, queries, dim int) (*datasets.Task, *table) {
	rng := rand.New(rand.NewPCG(11, 13))
	e := &table{dim: dim, vectors: map[string][]float32{}}
	vector := func(text string) {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(rng.IntN(5) - 2)
		}
		e.vectors[text] = v
	}
	corpus := make(datasets.MemoryCorpus, documents)
	for i := range corpus {
		text := fmt.Sprintf("document %d", i)
		corpus[i] = datasets.Document{ID: fmt.Sprint(i), Text: text}
		vector(text)
	}
	task := &datasets.Task{Name: "table", Corpus: corpus}
	for i := range queries {
		text := fmt.Sprintf("query %d", i)
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint(i), Text: text})
		vector(text)
	}
	return task, e
}

// TestDenseEqualsDefinition compares with the definition: score every pair in float64, sort
// all.
func TestDenseEqualsDefinition(t *testing.T) {
	for _, dim := range []int{1, 7, 33, 100} {
		task, e := randomTable(500, 9, dim)
		for _, similarity := range []Similarity{Cosine, Dot} {
			run := retrieve(t, NewDense("d", e, DenseOptions{Similarity: similarity}), task, 500)
			for _, q := range task.Queries {
				want := map[string]float64{}
				for _, d := range task.Corpus.(datasets.MemoryCorpus) {
					want[d.ID] = define(similarity, e.vectors[q.Text], e.vectors[d.Text])
				}
				tolerance := 0.0 // exact for whole numbers
				if similarity == Cosine {
					tolerance = 1e-6 // float32
				}
				for _, s := range run[q.ID] {
					if math.Abs(s.Score-want[s.Doc]) > tolerance {
						t.Errorf("dim %d %s: query %s document %s = %v, want %v", dim, similarity, q.ID, s.Doc, s.Score, want[s.Doc])
					}
				}
				if len(run[q.ID]) != 500 {
					t.Errorf("%d documents, want 500", len(run[q.ID]))
				}
			}
		}
	}
}

func define(similarity Similarity, a, b []float32) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if similarity == Dot {
		return ab
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// TestDenseBlocks: the result has the same bytes for any division of the corpus into blocks and
// batches.
func TestDenseBlocks(t *testing.T) {
	task, e := randomTable(1000, 70, 12)
	want := retrieve(t, NewDense("d", e, DenseOptions{}), task, 10)
	fixed := int64(70 * (12*4 + topKCapacity(10)*16))
	for _, documents := range []int64{1, 7, 64, 999, 1000, 1001} {
		for _, batch := range []int{1, 5, 2000} {
			r := NewDense("d", e, DenseOptions{MemoryBudget: fixed + documents*12*4, BatchSize: batch})
			if got := retrieve(t, r, task, 10); !reflect.DeepEqual(got, want) {
				t.Errorf("blocks of %d in batches of %d change the result", documents, batch)
			}
		}
	}
}

func TestDenseTies(t *testing.T) {
	e := &table{dim: 2, vectors: map[string][]float32{"same": {1, 2}, "zero": {0, 0}, "q": {3, 6}}}
	task := &datasets.Task{Name: "ties", Queries: []datasets.Query{{ID: "q", Text: "q"}}, Corpus: datasets.MemoryCorpus{
		{ID: "a", Text: "same"}, {ID: "c", Text: "zero"}, {ID: "b10", Text: "same"}, {ID: "b2", Text: "same"},
	}}
	run := retrieve(t, NewDense("d", e, DenseOptions{}), task, 4)
	order := []string{}
	for _, s := range run["q"] {
		order = append(order, s.Doc)
	}
	if want := []string{"b2", "b10", "a", "c"}; !slices.Equal(order, want) {
		t.Errorf("order = %q, want %q", order, want)
	}
	if zero := (trec.Scored{Doc: "c", Score: 0}); run["q"][3] != zero {
		t.Errorf("zero vector: %v, want %v", run["q"][3], zero)
	}
}

func TestDenseEncodesCandidatesOnly(t *testing.T) {
	task, e := randomTable(300, 2, 4)
	task.Candidates = map[string][]string{"0": {"5", "299", "17"}, "1": {"17", "0"}}
	retrieve(t, NewDense("d", e, DenseOptions{}), task, 10)
	if e.encoded != 4 {
		t.Errorf("%d documents encoded, want 4", e.encoded)
	}
}

func TestDenseErrors(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name, want string
		opts       DenseOptions
		change     func(e *table)
	}{
		{"NaN query", `vector of query "1" has a value that is not finite`, DenseOptions{}, func(e *table) { e.vectors["query 1"][2] = float32(math.NaN()) }},
		{"infinite document", `vector of document "42" has a value that is not finite`, DenseOptions{BatchSize: 5}, func(e *table) { e.vectors["document 42"][0] = -inf }},
		{"overflow", "overflows", DenseOptions{Similarity: Dot}, func(e *table) {
			copy(e.vectors["query 0"], []float32{3e38, 3e38, 0, 0})
			copy(e.vectors["document 3"], []float32{3e38, -3e38, 0, 0})
		}},
		{"encoder", `no vector for "document 7"`, DenseOptions{}, func(e *table) { delete(e.vectors, "document 7") }},
		{"similarity", `unknown similarity "cosin"; did you mean "cosine"?`, DenseOptions{Similarity: "cosin"}, func(*table) {}},
		{"budget", "memory budget of 100 bytes", DenseOptions{MemoryBudget: 100}, func(*table) {}},
		{"batch", "batches of -1", DenseOptions{BatchSize: -1}, func(*table) {}},
		{"dim", "vectors of 0 values", DenseOptions{}, func(e *table) { e.dim = 0 }},
	} {
		task, e := randomTable(100, 3, 4)
		c.change(e)
		_, err := NewDense("letters", e, c.opts).Retrieve(t.Context(), task, 5)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
