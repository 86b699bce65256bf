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
	"infbench/runners/codes"
)

// lateFake is an encoder with given vectors for each text.
type lateFake struct {
	dim, longest int
	vectors      map[string][]float32
	batches      []int // number of documents in each call
	err          error
}

func (f *lateFake) Dim() int       { return f.dim }
func (f *lateFake) MaxTokens() int { return f.longest }

func (f *lateFake) EncodeQueryTokens(_ context.Context, queries, _ []string) ([]float32, []int, error) {
	return f.encode(queries)
}

func (f *lateFake) EncodeDocumentTokens(_ context.Context, _, texts []string) ([]float32, []int, error) {
	f.batches = append(f.batches, len(texts))
	return f.encode(texts)
}

func (f *lateFake) encode(texts []string) (values []float32, counts []int, err error) {
	for _, text := range texts {
		values, counts = append(values, f.vectors[text]...), append(counts, len(f.vectors[text])/f.dim)
	}
	return values, counts, f.err
}

// lateWorld is a task of random unit vectors, with its fake encoder.
func lateWorld(queries, documents, dim, longest int) (*datasets.Task, *lateFake) {
	rng := rand.New(rand.NewPCG(3, uint64(documents)))
	f := &lateFake{dim: dim, longest: longest, vectors: map[string][]float32{}}
	text := func(name string, n int) string {
		for range n {
			f.vectors[name] = append(f.vectors[name], unit(rng, dim)...)
		}
		return name
	}
	task := &datasets.Task{Name: "made up"}
	for i := range queries {
		id := fmt.Sprintf("q%d", i)
		task.Queries = append(task.Queries, datasets.Query{ID: id, Text: text(id, 1+rng.IntN(longest))})
	}
	var docs []datasets.Document
	for i := range documents {
		id := fmt.Sprintf("d%d", i)
		docs = append(docs, datasets.Document{ID: id, Text: text(id, 1+rng.IntN(longest))})
	}
	task.Corpus = datasets.MemoryCorpus(docs)
	return task, f
}

func unit(rng *rand.Rand, dim int) []float32 {
	v, sum := make([]float32, dim), 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// maxSim is the definition, in float64; zeros adds a zero vector to the document.
func (f *lateFake) maxSim(query, document string, zeros bool) float64 {
	sum := 0.0
	for q := range slices.Chunk(f.vectors[query], f.dim) {
		best := math.Inf(-1)
		if zeros {
			best = 0
		}
		for d := range slices.Chunk(f.vectors[document], f.dim) {
			dot := 0.0
			for i := range q {
				dot += float64(q[i]) * float64(d[i])
			}
			best = max(best, dot)
		}
		sum += best
	}
	return sum
}

// checkScores compares the scores and the order of a run with the definition.
func checkScores(t *testing.T, run trec.Run, want func(query, doc string) float64, tolerance float64) {
	t.Helper()
	for query, hits := range run {
		for i, h := range hits {
			if apart := math.Abs(h.Score - want(query, h.Doc)); !(apart <= tolerance) {
				t.Fatalf("%s, %s: score %g, %g from the definition", query, h.Doc, h.Score, apart)
			}
			if i > 0 && (h.Score > hits[i-1].Score || h.Score == hits[i-1].Score && h.Doc > hits[i-1].Doc) {
				t.Fatalf("%s: %v before %v", query, hits[i-1], h)
			}
		}
	}
}

// TestMaxSim: every pair has the score of the definition for any division of the work:
// documents longer than a tile, queries wider than a group, blocks of one document.
func TestMaxSim(t *testing.T) {
	for _, c := range []struct{ queries, documents, dim, longest int }{
		{1, 1, 1, 1}, {3, 50, 16, 9}, {40, 30, 8, 40}, {2, 5, 7, 700}, {300, 20, 4, 5},
	} {
		task, f := lateWorld(c.queries, c.documents, c.dim, c.longest)
		run, err := runners.NewLate("late", f, runners.LateOptions{}).Retrieve(t.Context(), task, c.documents)
		if err != nil {
			t.Fatal(err)
		}
		checkScores(t, run, func(q, d string) float64 { return f.maxSim(q, d, false) }, 1e-5*float64(c.longest))
		for _, q := range task.Queries {
			if len(run[q.ID]) != c.documents {
				t.Errorf("%+v: %d of %d documents are ranked", c, len(run[q.ID]), c.documents)
			}
		}
	}
}

// TestSameBytes: scores and rankings have the same bytes for any division of a corpus into
// blocks, and for candidates among other documents.
func TestSameBytes(t *testing.T) {
	task, f := lateWorld(20, 120, 16, 12)
	whole, err := runners.NewLate("late", f, runners.LateOptions{}).Retrieve(t.Context(), task, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 64} {
		f.batches = nil
		run, err := runners.NewLate("late", f, runners.LateOptions{BatchSize: size}).Retrieve(t.Context(), task, 10)
		if err != nil {
			t.Fatal(err)
		}
		sameRuns(t, run, whole)
		if slices.Max(f.batches) > size {
			t.Errorf("batches of %v documents, want %d at most", f.batches, size)
		}
	}
	part := *task
	part.Candidates = map[string][]string{}
	for _, q := range task.Queries {
		for _, h := range whole[q.ID] {
			part.Candidates[q.ID] = append(part.Candidates[q.ID], h.Doc)
		}
	}
	among, err := runners.NewLate("late", f, runners.LateOptions{}).Retrieve(t.Context(), &part, 10)
	if err != nil {
		t.Fatal(err)
	}
	sameRuns(t, among, whole)
}

func sameRuns(t *testing.T, got, want trec.Run) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rankings, want %d", len(got), len(want))
	}
	for query := range want {
		if !slices.Equal(got[query], want[query]) {
			t.Fatalf("%s: %v, want %v", query, got[query], want[query])
		}
	}
}

// TestTies: ties are broken by document ID, descending by bytes; excluded documents are not
// ranked.
func TestTies(t *testing.T) {
	task, f := lateWorld(1, 12, 4, 3)
	for i := range 12 {
		f.vectors[fmt.Sprintf("d%d", i)] = f.vectors["d0"]
	}
	task.Excluded = map[string][]string{"q0": {"d9"}}
	run, err := runners.NewLate("late", f, runners.LateOptions{}).Retrieve(t.Context(), task, 4)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, h := range run["q0"] {
		order = append(order, h.Doc)
	}
	if want := []string{"d8", "d7", "d6", "d5"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestPadded: maxsim-padded adds a zero vector to candidates shorter than the longest.
func TestPadded(t *testing.T) {
	task, f := lateWorld(6, 30, 5, 4)
	opts := runners.LateOptions{Scoring: runners.PaddedMaxSim, BatchSize: 4}
	if _, err := runners.NewLate("late", f, opts).Retrieve(t.Context(), task, 5); err == nil || !strings.Contains(err.Error(), "the task has none") {
		t.Errorf("without candidates: %v", err)
	}
	task.Candidates = map[string][]string{}
	longest := map[string]int{}
	for i, q := range task.Queries {
		for d := range 30 {
			if id := fmt.Sprintf("d%d", d); (d+i)%3 == 0 {
				task.Candidates[q.ID] = append(task.Candidates[q.ID], id)
				longest[q.ID] = max(longest[q.ID], len(f.vectors[id]))
			}
		}
	}
	run, err := runners.NewLate("late", f, opts).Retrieve(t.Context(), task, 30)
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	checkScores(t, run, func(q, d string) float64 {
		padded := f.maxSim(q, d, len(f.vectors[d]) < longest[q])
		differ = differ || padded != f.maxSim(q, d, false)
		return padded
	}, 1e-5)
	if !differ {
		t.Error("no score differs from MaxSim: the test shows nothing")
	}
}

// TestStored: the error of storage is the error of the codes, with a keeper and without.
func TestStored(t *testing.T) {
	task, f := lateWorld(8, 60, 32, 10)
	exact, err := runners.NewLate("late", f, runners.LateOptions{}).Retrieve(t.Context(), task, 60)
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]float64{}
	for q, hits := range exact {
		for _, h := range hits {
			scores[q+" "+h.Doc] = h.Score
		}
	}
	for _, c := range []struct {
		form  codes.Form
		most  float64 // for each vector of a query: |q| = 1, and this is the maximum error of a document's vector
		least float64
	}{
		{codes.Float32, 0, 0},
		{codes.Float16, 0x1p-11, 1e-7},
		{codes.Int8, math.Sqrt(32) / 254, 1e-5},
	} {
		run, err := runners.NewLate("late", runners.StoredLate(f, c.form, nil), runners.LateOptions{}).Retrieve(t.Context(), task, 60)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for q, hits := range run {
			vectors := float64(len(f.vectors[q]) / f.dim)
			for _, h := range hits {
				apart := math.Abs(h.Score-scores[q+" "+h.Doc]) / vectors
				worst = max(worst, apart)
				if apart > c.most {
					t.Fatalf("%s: %s, %s is %g a vector from float32, want at most %g", c.form, q, h.Doc, apart, c.most)
				}
			}
		}
		if worst < c.least {
			t.Errorf("%s loses %g a vector at most: nothing was stored in it", c.form, worst)
		}
		keep := &lateMemory{kept: map[string][]byte{}}
		for range 2 {
			kept, err := runners.NewLate("late", runners.StoredLate(f, c.form, keep), runners.LateOptions{}).Retrieve(t.Context(), task, 60)
			if err != nil {
				t.Fatal(err)
			}
			sameRuns(t, kept, run)
		}
		if keep.encoded != len(task.Queries)+60 {
			t.Errorf("%d texts were encoded, want each once", keep.encoded)
		}
	}
}

// lateMemory stores the data made from texts.
type lateMemory struct {
	kept    map[string][]byte
	encoded int
}

func (m *lateMemory) Data(ctx context.Context, kind string, a, b []string, encode func(context.Context, []string, []string) ([][]byte, error)) ([][]byte, error) {
	all := make([][]byte, len(a))
	for i := range a {
		key := strings.Join([]string{kind, a[i], b[i]}, "\x00")
		if m.kept[key] == nil {
			made, err := encode(ctx, a[i:i+1], b[i:i+1])
			if err != nil {
				return nil, err
			}
			m.kept[key] = made[0]
			m.encoded++
		}
		all[i] = m.kept[key]
	}
	return all, nil
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*datasets.Task, *lateFake, *runners.LateOptions)
		want   string
	}{
		{"encoder", func(_ *datasets.Task, f *lateFake, _ *runners.LateOptions) { f.err = errors.New("no power") }, "encode queries: no power"},
		{"no vector", func(_ *datasets.Task, f *lateFake, _ *runners.LateOptions) { f.vectors["d3"] = nil }, `encode documents: document "d3" has no vector`},
		{"not finite", func(_ *datasets.Task, f *lateFake, _ *runners.LateOptions) { f.vectors["q1"][0] = float32(math.NaN()) }, `query "q1" has a vector with a value that is not finite`},
		{"overflow", func(_ *datasets.Task, f *lateFake, _ *runners.LateOptions) {
			f.vectors["q0"][0], f.vectors["d2"][0] = 3e38, 3e38
		}, `document "d2": an inner product overflows float32`},
		{"budget", func(_ *datasets.Task, _ *lateFake, o *runners.LateOptions) { o.MemoryBudget = 100 }, "memory budget of 100 bytes: queries and products take"},
		{"scoring", func(_ *datasets.Task, _ *lateFake, o *runners.LateOptions) { o.Scoring = "maxsum" }, `unknown similarity of late interaction "maxsum"; did you mean "maxsim"?`},
		{"depth", func(task *datasets.Task, _ *lateFake, _ *runners.LateOptions) {
			task.Queries = append(task.Queries, task.Queries[0])
		}, `duplicate query ID "q0"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, f := lateWorld(3, 5, 4, 3)
			opts := runners.LateOptions{}
			c.change(task, f, &opts)
			if _, err := runners.NewLate("late", f, opts).Retrieve(t.Context(), task, 3); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestShards: shards that are ranked separately and joined give the ranking of the complete
// corpus or candidates.
func TestShards(t *testing.T) {
	task, f := lateWorld(12, 60, 8, 5)
	listed := *task
	listed.Candidates = map[string][]string{}
	for i, q := range task.Queries {
		for k := range 10 {
			listed.Candidates[q.ID] = append(listed.Candidates[q.ID], fmt.Sprintf("d%d", (7*i+6*k)%60))
		}
	}
	r := runners.NewLate("late", f, runners.LateOptions{BatchSize: 7})
	for _, task := range []*datasets.Task{task, &listed} {
		want, err := r.Retrieve(t.Context(), task, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{1, 3, 7, 61} {
			var all []trec.Run
			for n := 1; n <= of; n++ {
				part := *task
				part.Shard = datasets.Shard{Number: n, Of: of}
				run, err := r.Retrieve(t.Context(), &part, 8)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, run)
			}
			for query, got := range runners.JoinShards(task, all, 8) {
				if !slices.Equal(got, want[query]) {
					t.Errorf("%d shards, %s: %v, want %v", of, query, got, want[query])
				}
			}
		}
	}
}
