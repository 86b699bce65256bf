package runners

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The target: under a second on two threads.
func BenchmarkDenseSearch(b *testing.B) {
	const documents, queries, dim, depth = 200_000, 200, 384, 100
	rng := rand.New(rand.NewPCG(7, 7))
	random := func(n int) []float32 {
		v := make([]float32, n*dim)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	corpus := &block{docs: make([]int32, documents), vectors: random(documents)}
	sc := &scope{ids: make([]string, documents), excluded: make([][]int32, queries)}
	for i := range sc.ids {
		sc.ids[i], corpus.docs[i] = fmt.Sprint(i), int32(i)
	}
	s := &denseSearch{dim: dim, scope: sc, queries: random(queries), tops: make([]*topK, queries)}
	b.ReportAllocs()
	for b.Loop() {
		for i := range s.tops {
			s.tops[i] = sc.top(i, depth)
		}
		if err := s.add(b.Context(), corpus); err != nil {
			b.Fatal(err)
		}
		for _, top := range s.tops {
			top.ranking()
		}
	}
}

func BenchmarkDot(b *testing.B) {
	x, y := make([]float32, 384), make([]float32, 384)
	for b.Loop() {
		dot(x, y)
	}
}
