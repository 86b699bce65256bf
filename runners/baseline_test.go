package runners

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"infbench/datasets"
	"infbench/metrics/trec"
)

func TestRandomDependsOnNamesOnly(t *testing.T) {
	task := contractTask()
	whole := scoresOf(retrieve(t, NewRandom(7), task, 1000)["plain"])
	fewer := &datasets.Task{Name: "fewer", Corpus: task.Corpus.(datasets.MemoryCorpus)[100:200], Queries: task.Queries[:1]}
	for doc, score := range scoresOf(retrieve(t, NewRandom(7), fewer, 1000)["plain"]) {
		if whole[doc] != score {
			t.Fatalf("document %s scores %v among 300 documents and %v among 100", doc, whole[doc], score)
		}
	}
	other := scoresOf(retrieve(t, NewRandom(8), task, 1000)["plain"])
	query := scoresOf(retrieve(t, NewRandom(7), task, 1000)["instructed"])
	if other["d1"] == whole["d1"] || query["d1"] == whole["d1"] {
		t.Error("the seed or the query makes no difference")
	}
}

func scoresOf(ranking trec.Ranking) map[string]float64 {
	scores := map[string]float64{}
	for _, s := range ranking {
		scores[s.Doc] = s.Score
	}
	return scores
}

// The scores of n documents must look uniform: with 16 bins and n = 100,000 the
// chi-squared statistic has mean 15 and exceeds 50 once in 90,000 times.
func TestRandomIsUniform(t *testing.T) {
	const n, bins = 100_000, 16
	for _, query := range []string{"q1", "q1-changed"} {
		var count [bins]float64
		rising := 0
		last := 0.0
		for i := range n {
			u := uniform(1, query, fmt.Sprint(i))
			if u < 0 || u >= 1 {
				t.Fatalf("%v is not in [0, 1)", u)
			}
			count[int(u*bins)]++
			if u > last {
				rising++
			}
			last = u
		}
		chi2 := 0.0
		for _, c := range count {
			chi2 += (c - n/bins) * (c - n/bins) / (n / bins)
		}
		if chi2 > 50 || math.Abs(float64(rising)/n-0.5) > 0.01 {
			t.Errorf("query %s: chi-squared %.1f, %d of %d steps rise", query, chi2, rising, n)
		}
	}
}

// A pinned value keeps results of this baseline comparable for ever. It was computed with a
// separate implementation of FNV-1a and SplitMix64.
func TestRandomIsPinned(t *testing.T) {
	if got, want := uniform(42, "q", "d"), 0.24161375745794778; got != want {
		t.Errorf("uniform(42, q, d) = %v, want %v", got, want)
	}
}

func TestFixedOrders(t *testing.T) {
	task := &datasets.Task{
		Name:    "orders",
		Corpus:  datasets.MemoryCorpus{{ID: "b"}, {ID: "a10"}, {ID: "c"}, {ID: "a9"}},
		Queries: []datasets.Query{{ID: "q"}},
	}
	for r, want := range map[*Baseline][]string{
		NewConstant():      {"c", "b", "a9", "a10"},
		NewDocumentOrder(): {"b", "a10", "c", "a9"},
	} {
		var got []string
		for _, s := range retrieve(t, r, task, 4)["q"] {
			got = append(got, s.Doc)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", r.Name(), got, want)
		}
	}
}
