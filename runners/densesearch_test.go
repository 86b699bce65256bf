package runners

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"infbench/datasets"
	"infbench/metrics/kernel"
	"infbench/metrics/trec"
	"infbench/runners/codes"
)

// nearTable is a task with similar documents: many differ from another only in the last bits of
// a value, or only in length, so that estimates order them wrongly.
func nearTable(documents, queries, dim int) (*datasets.Task, *table) {
	rng := rand.New(rand.NewPCG(3, 5))
	task, e := randomTable(documents, queries, dim)
	for _, v := range e.vectors {
		fillRandom(rng, v)
	}
	for i := range documents {
		v := e.vectors[fmt.Sprintf("document %d", i)]
		copy(v, e.vectors[fmt.Sprintf("document %d", i%7)])
		if at := rng.IntN(dim); i%3 == 0 {
			v[at] = math.Nextafter32(v[at], float32(rng.IntN(2)))
		}
		if i%5 == 0 {
			for k := range v {
				v[k] *= float32(math.Ldexp(1, rng.IntN(60)-30))
			}
		}
	}
	return task, e
}

// byDefinition scores every pair and sorts.
func byDefinition(task *datasets.Task, e *table, similarity Similarity, depth int) trec.Run {
	run := trec.Run{}
	for _, q := range task.Queries {
		query := append([]float32{}, e.vectors[q.Text]...)
		if similarity != Dot {
			normalise(query)
		}
		var all trec.Ranking
		for _, d := range task.Corpus.(datasets.MemoryCorpus) {
			document := e.vectors[d.Text]
			inverse := float32(1)
			if similarity != Dot {
				inverse = float32(1 / length(document))
			}
			all = append(all, trec.Scored{Doc: d.ID, Score: score(query, document, inverse)})
		}
		all.Sort()
		run[q.ID] = all[:min(depth, len(all))]
	}
	return run
}

// eachKernelSet runs a test with every kernel set of this processor.
func eachKernelSet(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	before := kernel.Name()
	defer func() {
		if err := kernel.Use(before); err != nil {
			t.Fatal(err)
		}
	}()
	for _, name := range kernel.Available() {
		if err := kernel.Use(name); err != nil {
			t.Fatal(err)
		}
		t.Run(name, test)
	}
}

// TestDenseScoresAlone: the score of a document has the same bytes for any number of queries
// and any position of the document. It depends only on the two vectors.
func TestDenseScoresAlone(t *testing.T) {
	eachKernelSet(t, func(t *testing.T) {
		for _, dim := range []int{1, 16, 67, 130} {
			task, e := nearTable(400, 260, dim)
			for _, similarity := range []Similarity{Cosine, Dot} {
				want := byDefinition(task, e, similarity, 40)
				for _, queries := range []int{1, 3, 4, 260} {
					part := *task
					part.Queries = task.Queries[:queries]
					for _, form := range []codes.Form{codes.Float32, codes.Float16, codes.Int8} {
						got := retrieve(t, NewDense("d", e, DenseOptions{Similarity: similarity, Blocks: form, BatchSize: 100}), &part, 40)
						checkSame(t, fmt.Sprintf("%s, %s, dim %d, %d queries", form, similarity, dim, queries), got, want)
					}
				}
				part := *task
				part.Corpus = append(append(datasets.MemoryCorpus{}, task.Corpus.(datasets.MemoryCorpus)[213:]...), task.Corpus.(datasets.MemoryCorpus)[:213]...)
				checkSame(t, fmt.Sprintf("%s, dim %d, turned", similarity, dim),
					retrieve(t, NewDense("d", e, DenseOptions{Similarity: similarity}), &part, 40), want)
			}
		}
	})
}

// TestDenseScoresOfCandidates: a query has the same scores among candidates as in the complete
// corpus.
func TestDenseScoresOfCandidates(t *testing.T) {
	task, e := nearTable(400, 6, 33)
	whole := retrieve(t, NewDense("d", e, DenseOptions{}), task, 30)
	part := *task
	part.Candidates = map[string][]string{}
	for query, ranking := range whole {
		for _, s := range ranking {
			part.Candidates[query] = append(part.Candidates[query], s.Doc)
		}
	}
	checkSame(t, "candidates", retrieve(t, NewDense("d", e, DenseOptions{}), &part, 30), whole)
}

func checkSame(t *testing.T, what string, got, want trec.Run) {
	t.Helper()
	for query := range got {
		if !reflect.DeepEqual(got[query], want[query]) {
			t.Errorf("%s: query %s\n got %v\nwant %v", what, query, got[query][:3], want[query][:3])
			return
		}
	}
}

// TestDenseLengths: lengths that float32 cannot square or multiply do not change a cosine and
// do not overflow an estimate.
func TestDenseLengths(t *testing.T) {
	task, e := randomTable(200, 5, 9)
	want := retrieve(t, NewDense("d", e, DenseOptions{}), task, 20)
	n := 0
	for _, v := range e.vectors {
		exponent := []int{0, 120, -120, 30, -30}[n%5]
		n++
		for i := range v {
			v[i] = float32(math.Ldexp(float64(v[i]), exponent))
		}
	}
	for _, form := range []codes.Form{codes.Float32, codes.Float16, codes.Int8} {
		if got := retrieve(t, NewDense("d", e, DenseOptions{Blocks: form}), task, 20); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: lengths change the ranking:\n got %v\nwant %v", form, got["0"][:3], want["0"][:3])
		}
	}
}

// TestRounding: sums of the same product differ by no more than the rounding bound: in order,
// backwards, and in float64.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		dim := 1 + rng.IntN(500)
		a, b := make([]float32, dim), make([]float32, dim)
		fillRandom(rng, a)
		fillRandom(rng, b)
		var forward, backward float32
		for i := range a {
			forward += a[i] * b[i]
			backward += a[dim-1-i] * b[dim-1-i]
		}
		bound := rounding(dim, length(a), length(b))
		for _, other := range []float32{backward, kernel.Dot(a, b)} {
			if apart := math.Abs(float64(forward) - float64(other)); apart > bound {
				t.Errorf("%d values: %g apart, bound %g", dim, apart, bound)
			}
		}
	}
}

// TestVectorsSlice: slices of vectors from several owners have the right rows, in place or
// copied.
func TestVectorsSlice(t *testing.T) {
	v, memory := vectors{dim: 2}, make([]float32, 20)
	even := []float32{0, 0, 9, 1, 1, 9, 2, 2, 9}
	v.add(rows{even, 3, 2})
	v.add(rows{even[6:], 3, 1})
	v.add(rows{[]float32{3, 3, 4, 4}, 2, 2})
	if len(v.parts) != 2 || v.len() != 5 {
		t.Errorf("%d parts, %d vectors, want 2 and 5", len(v.parts), v.len())
	}
	for lo := range 5 {
		for hi := lo + 1; hi <= 5; hi++ {
			r := v.slice(lo, hi, memory)
			if copied := &r.values[0] == &memory[0]; copied != (lo < 3 && hi > 3) || r.n != hi-lo {
				t.Errorf("%d to %d: copied %v, %d rows", lo, hi, copied, r.n)
			}
			for i := range r.n {
				if got, want := r.row(i, 2), []float32{float32(lo + i), float32(lo + i)}; !reflect.DeepEqual(got, want) {
					t.Errorf("%d to %d: row %d is %v", lo, hi, i, got)
				}
			}
		}
	}
}
