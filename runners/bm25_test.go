package runners

import (
	"math"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

func mustBM25(t testing.TB, opts BM25Options) *BM25 {
	t.Helper()
	r, err := NewBM25(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func retrieve(t testing.TB, r Retriever, task *datasets.Task, depth int) trec.Run {
	t.Helper()
	run, err := r.Retrieve(t.Context(), task, depth)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// fruit is small enough to score with a pocket calculator.
func fruit() *datasets.Task {
	return &datasets.Task{
		Name: "fruit",
		Corpus: datasets.MemoryCorpus{
			{ID: "d1", Text: "apple banana apple"},
			{ID: "d2", Title: "banana", Text: "cherry"},
			{ID: "d3", Text: "cherry date elderberry fig"},
		},
		Queries: []datasets.Query{{ID: "q", Text: "apple banana", Instruction: "banana kiwi"}},
	}
}

// The expected values are from the formulas of rank_bm25 0.2.2, gensim 4.3 and bm25s 0.2 in
// float64, computed separately from this code. Lucene's are the golden runs.
func TestBM25Variants(t *testing.T) {
	for _, c := range []struct {
		variant    string
		candidates []string
		want       map[string]float64
	}{
		{"bm25-okapi-candidates", nil, map[string]float64{"d1": 0.8148884950552708, "d2": 0.10016188701293936, "d3": 0}},
		{"bm25-okapi-candidates", []string{"d2", "d1"}, map[string]float64{"d1": -0.24609142391958724, "d2": -0.2947688484311539}},
		{"bm25-bright", nil, map[string]float64{"d1": 0.4380512227924231, "d2": 0.0697208090847629, "d3": 0}},
		{"bm25-mair", nil, map[string]float64{"d1": 0.936476762260432, "d2": 0.44235635693716296, "d3": 0}},
	} {
		task := fruit()
		if c.candidates != nil {
			task.Candidates = map[string][]string{"q": c.candidates}
		}
		ranking := retrieve(t, mustBM25(t, BM25Options{Variant: c.variant}), task, 10)["q"]
		if len(ranking) != len(c.want) {
			t.Errorf("%s: %d documents, want %d", c.variant, len(ranking), len(c.want))
		}
		for _, s := range ranking {
			if want := c.want[s.Doc]; math.Abs(s.Score-want) > 1e-7 {
				t.Errorf("%s %v: %s = %v, want %v", c.variant, c.candidates, s.Doc, s.Score, want)
			}
		}
	}
}

func TestBM25Options(t *testing.T) {
	task := fruit()
	only := retrieve(t, mustBM25(t, BM25Options{Join: func(query, _ string) string { return "date" }}), task, 10)["q"]
	if len(only) != 1 || only[0].Doc != "d3" {
		t.Errorf("with Join: %v, want d3 alone", only)
	}
	if name := mustBM25(t, BM25Options{Params: &BM25Params{1.2, 0.75}}).Name(); name != "bm25(k1=1.2,b=0.75)" {
		t.Errorf("name = %q", name)
	}
	// With k1 = 0 only the idf remains: all documents that have a term get the same score for
	// it.
	flat := retrieve(t, mustBM25(t, BM25Options{Params: &BM25Params{0, 0}}), &datasets.Task{
		Name: "flat", Corpus: task.Corpus, Queries: []datasets.Query{{ID: "q", Text: "banana"}}}, 10)["q"]
	if len(flat) != 2 || flat[0].Doc != "d2" || flat[0].Score != flat[1].Score {
		t.Errorf("with k1 = 0: %v, want d2 and d1 with equal scores", flat)
	}
	for _, c := range []struct {
		opts BM25Options
		want string
	}{
		{BM25Options{Variant: "bm25-brigth"}, `did you mean "bm25-bright"?`},
		{BM25Options{Params: &BM25Params{-1, 0.4}}, "k1=-1"},
		{BM25Options{Params: &BM25Params{math.Inf(1), 0.4}}, "k1=+Inf"},
		{BM25Options{Params: &BM25Params{1, math.NaN()}}, "b=NaN"},
		{BM25Options{Params: &BM25Params{1, 1.5}}, "b=1.5"},
	} {
		if _, err := NewBM25(c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.opts, err, c.want)
		}
	}
}

// Values of Lucene's SmallFloat.byte4ToInt: exact below 40, then 4 bits.
func TestLuceneLength(t *testing.T) {
	for length, want := range map[int32]int32{0: 0, 23: 23, 39: 39, 40: 40, 41: 40, 42: 42, 55: 54, 56: 56, 59: 56, 60: 60, 87: 84, 88: 88, 150: 144, 152: 152, 1000: 984, 1 << 30: 1006632984} {
		if got := luceneLength(length); got != want {
			t.Errorf("luceneLength(%d) = %d, want %d", length, got, want)
		}
	}
}

// TestBM25EmptyDocuments: documents without a term count neither in N nor, with length 0, in
// the average. An index with such documents gives the same scores as one without.
func TestBM25EmptyDocuments(t *testing.T) {
	r := mustBM25(t, BM25Options{})
	want := retrieve(t, r, fruit(), 10)["q"]
	task := fruit()
	task.Corpus = append(datasets.MemoryCorpus{{ID: "e1"}, {ID: "e2", Title: "the", Text: "?"}}, task.Corpus.(datasets.MemoryCorpus)...)
	got := retrieve(t, r, task, 10)["q"]
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("with empty documents %v, without %v", got, want)
	}
	for _, name := range BM25Variants() { // a corpus without any word
		run := retrieve(t, mustBM25(t, BM25Options{Variant: name}), &datasets.Task{
			Name: "wordless", Corpus: datasets.MemoryCorpus{{ID: "e1"}, {ID: "e2"}}, Queries: task.Queries}, 10)
		for _, s := range run["q"] {
			if s.Score != 0 {
				t.Errorf("%s scores %v without a word", name, s)
			}
		}
	}
}
