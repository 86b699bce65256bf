package runners

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"infbench/datasets"
	"infbench/runners/codes"
)

// The sizes of the benchmarks are those of make peers.
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

// benchSearch is a corpus of vectors in memory, with a search for some queries in it.
func benchSearch(queries int, form codes.Form) (*block, *denseSearch) {
	rng := rand.New(rand.NewPCG(7, 7))
	corpus := &block{docs: make([]int32, benchDocuments), lengths: make([]float64, benchDocuments), vectors: vectors{dim: benchDim}}
	corpus.vectors.add(rows{make([]float32, benchDocuments*benchDim), benchDim, benchDocuments})
	fillRandom(rng, corpus.vectors.parts[0].values)
	sc := &Scope{Task: &datasets.Task{Queries: make([]datasets.Query, queries)}, IDs: make([]string, benchDocuments), Excluded: make([][]int32, queries)}
	for i := range sc.IDs {
		sc.IDs[i], corpus.docs[i], corpus.lengths[i] = fmt.Sprint(i), int32(i), length(corpus.vectors.row(i))
	}
	asked := make([]float32, queries*benchDim)
	fillRandom(rng, asked)
	return corpus, newDenseSearch(sc, benchDim, Dot, form, asked, benchDepth)
}

// BenchmarkDenseSearch has all vectors and their codes in memory.
func BenchmarkDenseSearch(b *testing.B) {
	for _, form := range []codes.Form{codes.Float32, codes.Float16, codes.Int8} {
		for _, queries := range []int{1, benchQueries} {
			b.Run(fmt.Sprintf("%s/queries=%d", form, queries), func(b *testing.B) {
				corpus, s := benchSearch(queries, form)
				if err := s.code(b.Context(), corpus); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				before := processorSeconds(b)
				for b.Loop() {
					s = newDenseSearch(s.scope, s.dim, Dot, form, s.queries, benchDepth)
					if err := s.add(b.Context(), corpus); err != nil {
						b.Fatal(err)
					}
					s.rankings()
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/search")
				b.ReportMetric((processorSeconds(b)-before)/float64(b.N), "cpu-s/search")
			})
		}
	}
}

// processorSeconds is the time that the process used on all processors so far. Unlike clock
// time, other programs on the machine hardly affect it.
func processorSeconds(b *testing.B) float64 {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// randomVectors is an encoder with random vectors.
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

// benchTask is a corpus whose texts are its IDs, with queries.
func benchTask() *datasets.Task {
	corpus := make(datasets.MemoryCorpus, benchDocuments)
	for i := range corpus {
		corpus[i].ID, corpus[i].Text = fmt.Sprint(i), fmt.Sprint(i)
	}
	task := &datasets.Task{Name: "generated", Corpus: corpus}
	for i := range benchQueries {
		task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint(i), Text: fmt.Sprint(i)})
	}
	return task
}

// BenchmarkDenseMemory retrieves from texts to rankings. It reports the peak memory of the
// process relative to the vectors of the corpus: one block, and the texts.
func BenchmarkDenseMemory(b *testing.B) {
	task := benchTask()
	benchRetrieve(b, task, func() Encoder { return randomVectors{rand.New(rand.NewPCG(7, 7))} })
}

// BenchmarkDenseCached is BenchmarkDenseMemory with all vectors in an embedding cache. Its
// files are in memory as far as the system can spare it.
func BenchmarkDenseCached(b *testing.B) {
	task := benchTask()
	c, err := NewCached(randomVectors{rand.New(rand.NewPCG(7, 7))}, b.TempDir(), "random")
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if _, err := NewDense("random", c, DenseOptions{}).Retrieve(b.Context(), task, benchDepth); err != nil {
		b.Fatal(err)
	}
	benchRetrieve(b, task, func() Encoder { return c })
}

func benchRetrieve(b *testing.B, task *datasets.Task, encoder func() Encoder) {
	debug.FreeOSMemory() // before the first measurement
	before := processorSeconds(b)
	most := peakMemory(b, func() {
		for b.Loop() {
			debug.FreeOSMemory() // memory of earlier benchmarks
			if _, err := NewDense("random", encoder(), DenseOptions{}).Retrieve(b.Context(), task, benchDepth); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(most)/(4*benchDocuments*benchDim), "peak/vectors")
	b.ReportMetric((processorSeconds(b)-before)/float64(b.N), "cpu-s/search")
}

// peakMemory runs f and returns the largest number of bytes that the process had from the
// system meanwhile, sampled every millisecond.
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
