package runners

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"infbench/datasets"
)

// The size of the benchmarks: what FAISS's flat index takes 2 to 2.75 s for on
// two threads.
const (
	benchDocuments, benchQueries = 200_000, 200
	benchDim, benchDepth         = 384, 100
)

// fillRandom draws values from [-1, 1).
func fillRandom(rng *rand.Rand, v []float32) {
	for i := range v {
		v[i] = 2*rng.Float32() - 1
	}
}

// BenchmarkDenseSearch has all vectors. The target is a second on two threads.
func BenchmarkDenseSearch(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	corpus := &block{docs: make([]int32, benchDocuments), vectors: make([]float32, benchDocuments*benchDim)}
	sc := &scope{ids: make([]string, benchDocuments), excluded: make([][]int32, benchQueries)}
	for i := range sc.ids {
		sc.ids[i], corpus.docs[i] = fmt.Sprint(i), int32(i)
	}
	s := &denseSearch{dim: benchDim, scope: sc, queries: make([]float32, benchQueries*benchDim), tops: make([]*topK, benchQueries)}
	fillRandom(rng, corpus.vectors)
	fillRandom(rng, s.queries)
	b.ReportAllocs()
	for b.Loop() {
		for i := range s.tops {
			s.tops[i] = sc.top(i, benchDepth)
		}
		if err := s.add(b.Context(), corpus); err != nil {
			b.Fatal(err)
		}
		for _, top := range s.tops {
			top.ranking()
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/search")
}

// randomVectors is an encoder that draws its vectors.
type randomVectors struct{ rng *rand.Rand }

func (e randomVectors) Dim() int { return benchDim }

func (e randomVectors) EncodeQueries(_ context.Context, _, _ []string, dst []float32) error {
	fillRandom(e.rng, dst)
	return nil
}

func (e randomVectors) EncodeDocuments(_ context.Context, _, _ []string, dst []float32) error {
	fillRandom(e.rng, dst)
	return nil
}

// BenchmarkDenseMemory retrieves from texts to rankings and reports the most
// memory of the process in vectors of the corpus. The target is 1.2.
func BenchmarkDenseMemory(b *testing.B) {
	corpus := make(memory, benchDocuments)
	for i := range corpus {
		corpus[i].ID = fmt.Sprint(i)
	}
	task := &datasets.Task{Name: "generated", Corpus: corpus}
	for i := range benchQueries {
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint(i)})
	}
	debug.FreeOSMemory() // before the first look
	most := peakMemory(b, func() {
		for b.Loop() {
			debug.FreeOSMemory() // what was left before
			r := NewDense("random", randomVectors{rand.New(rand.NewPCG(7, 7))}, DenseOptions{})
			if _, err := r.Retrieve(b.Context(), task, benchDepth); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(most)/(4*benchDocuments*benchDim), "peak/vectors")
}

// peakMemory runs f and returns the most bytes that the process had from the
// system meanwhile, looked at every millisecond.
func peakMemory(b *testing.B, f func()) uint64 {
	b.Helper()
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	most, stop, stopped := uint64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(time.Millisecond); ; {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64()-sample[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return most
}

func BenchmarkDot(b *testing.B) {
	x, y := make([]float32, 384), make([]float32, 384)
	for b.Loop() {
		dotProduct(x, y)
	}
}
