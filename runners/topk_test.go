package runners

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

func TestTopKTies(t *testing.T) {
	ids := []string{"d1", "d10", "d2", "d3"}
	top := NewTopK(3, ids)
	for doc, score := range []float64{1, 1, 1, 0.5} {
		top.Offer(score, int32(doc))
	}
	// By bytes "d2" > "d10" > "d1".
	want := trec.Ranking{{Doc: "d2", Score: 1}, {Doc: "d10", Score: 1}, {Doc: "d1", Score: 1}}
	if got := top.Ranking(); !slices.Equal(got, want) {
		t.Errorf("ranking = %v, want %v", got, want)
	}
}

func TestTopKExcluded(t *testing.T) {
	top := NewTopK(2, []string{"a", "b", "c"})
	top.Reset([]int32{1, 2})
	for doc := range int32(3) {
		top.Offer(float64(doc), doc)
	}
	if got, want := top.Ranking(), (trec.Ranking{{Doc: "a", Score: 0}}); !slices.Equal(got, want) {
		t.Errorf("ranking = %v, want %v", got, want)
	}
	top.Reset([]int32{0})
	top.Offer(7, 0)
	if got := top.Ranking(); got == nil || len(got) != 0 {
		t.Errorf("ranking = %#v, want empty and not nil", got)
	}
}

// TestTopKEqualsSort: a full sort is the definition. With few distinct scores most documents
// are tied; infinite scores are valid.
func TestTopKEqualsSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		n, k := 1+rng.IntN(400), 1+rng.IntN(70)
		ids := make([]string, n)
		all := make(trec.Ranking, n)
		for i := range ids {
			ids[i] = fmt.Sprint(i * 7)
			all[i] = trec.Scored{Doc: ids[i], Score: float64(rng.IntN(5))}
			if rng.IntN(20) == 0 {
				all[i].Score = math.Inf(rng.IntN(2)*2 - 1)
			}
		}
		top := NewTopK(k, ids)
		for _, i := range rng.Perm(n) {
			top.Offer(all[i].Score, int32(i))
		}
		slices.SortFunc(all, func(a, b trec.Scored) int {
			if a.Score != b.Score {
				if a.Score > b.Score {
					return -1
				}
				return 1
			}
			return strings.Compare(b.Doc, a.Doc)
		})
		if got := top.Ranking(); !slices.Equal(got, all[:min(k, n)]) {
			t.Fatalf("trial %d (n=%d k=%d):\n got %v\nwant %v", trial, n, k, got, all[:min(k, n)])
		}
	}
}

func BenchmarkTopK(b *testing.B) {
	const n = 50_000
	ids, scores := make([]string, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range ids {
		ids[i], scores[i] = fmt.Sprint(i), rng.Float64()
	}
	top := NewTopK(1000, ids)
	b.ReportAllocs()
	for b.Loop() {
		top.Reset(nil)
		for doc, s := range scores {
			top.Offer(s, int32(doc))
		}
		top.Ranking()
	}
}
