package runners_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"infbench/datasets"
	"infbench/internal/testkit"
	"infbench/runners"
	"infbench/runners/codes"
)

// benchSize is queries x documents x vectors per document x values per vector. The board uses
// INFBENCH_MAXSIM=200x100000x64x128.
const (
	benchSize   = "20x2000x64x128"
	benchTokens = 32 // vectors per query
)

// BenchmarkMaxSim ranks a corpus whose token vectors are stored in memory, in each format. It
// reports the peak memory as a share of the stored vectors, and processor time, which other
// programs on the machine do not affect (compare BenchmarkMaxSimNumpy).
func BenchmarkMaxSim(b *testing.B) {
	queries, documents, tokens, dim := sizeOf(b, os.Getenv("INFBENCH_MAXSIM"))
	for _, form := range []codes.Form{codes.Float32, codes.Float16, codes.Int8} {
		b.Run(string(form), func(b *testing.B) {
			store := newStore(form, documents, tokens, dim)
			task := &datasets.Task{Name: "made up", Corpus: numbered(documents)}
			for i := range queries {
				task.Queries = append(task.Queries, datasets.Query{ID: fmt.Sprint(i)})
			}
			retriever := runners.NewLate("late", store, runners.LateOptions{})
			// Otherwise uncollected garbage may take as much memory as the stored vectors.
			defer debug.SetGCPercent(debug.SetGCPercent(8))
			peak := watchMemory()
			begin := testkit.ProcessorTime()
			b.ResetTimer()
			for b.Loop() {
				if _, err := retriever.Retrieve(b.Context(), task, 100); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((testkit.ProcessorTime()-begin).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(peak())/float64(len(store.rows)), "peak/stored")
			products := float64(queries) * benchTokens * float64(documents) * float64(tokens) * float64(dim)
			b.ReportMetric(2*products*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func sizeOf(b *testing.B, text string) (queries, documents, tokens, dim int) {
	b.Helper()
	if text == "" {
		text = benchSize
	}
	parts := strings.Split(text, "x")
	var size [4]int
	for i := range size {
		var err error
		if len(parts) != len(size) {
			b.Fatalf("INFBENCH_MAXSIM=%s: want four numbers, as %s", text, benchSize)
		}
		if size[i], err = strconv.Atoi(parts[i]); err != nil || size[i] < 1 {
			b.Fatalf("INFBENCH_MAXSIM=%s: want four numbers, as %s", text, benchSize)
		}
	}
	return size[0], size[1], size[2], size[3]
}

// numbered is a corpus of that many empty documents.
type numbered int

func (n numbered) Len() int { return int(n) }

func (n numbered) Documents() iter.Seq2[datasets.Document, error] {
	return func(yield func(datasets.Document, error) bool) {
		for i := range int(n) {
			if !yield(datasets.Document{ID: strconv.Itoa(i), Text: strconv.Itoa(i)}, nil) {
				return
			}
		}
	}
}

// store holds the vectors of a corpus in a format, like a cache of files.
type store struct {
	form        codes.Form
	tokens, dim int
	rows        []byte
	query       []float32
	values      []float32 // memory of the last answer
}

// newStore draws vectors from a small pool, which is faster than drawing each.
func newStore(form codes.Form, documents, tokens, dim int) *store {
	rng := rand.New(rand.NewPCG(5, 6))
	s := &store{form: form, tokens: tokens, dim: dim, rows: make([]byte, 0, documents*tokens*form.RowBytes(dim))}
	var pool [][]byte
	for range 4096 {
		pool = append(pool, form.AppendRow(nil, unit(rng, dim)))
	}
	for range documents * tokens {
		s.rows = append(s.rows, pool[rng.IntN(len(pool))]...)
	}
	for range benchTokens {
		s.query = append(s.query, unit(rng, dim)...)
	}
	return s
}

func (s *store) Dim() int       { return s.dim }
func (s *store) MaxTokens() int { return max(s.tokens, benchTokens) }

func (s *store) EncodeQueryTokens(_ context.Context, queries, _ []string) (values []float32, counts []int, err error) {
	for range queries {
		values, counts = append(values, s.query...), append(counts, benchTokens)
	}
	return values, counts, nil
}

func (s *store) EncodeDocumentTokens(_ context.Context, _, texts []string) (values []float32, counts []int, err error) {
	if n := len(texts) * s.tokens * s.dim; len(s.values) < n {
		s.values = make([]float32, n)
	}
	values = s.values[:len(texts)*s.tokens*s.dim]
	row := s.form.RowBytes(s.dim)
	for i, text := range texts {
		doc, err := strconv.Atoi(text)
		if err != nil {
			return nil, nil, err
		}
		for k := range s.tokens {
			s.form.ReadRow(values[(i*s.tokens+k)*s.dim:][:s.dim], s.rows[(doc*s.tokens+k)*row:][:row])
		}
		counts = append(counts, s.tokens)
	}
	return values, counts, nil
}

// watchMemory samples the memory that the program uses until peak is called.
func watchMemory() (peak func() uint64) {
	runtime.GC()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		highest := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			highest = max(highest, m.HeapAlloc+m.StackInuse)
			select {
			case <-stop:
				most <- highest
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-most
	}
}

// numpyLoop scores like BenchmarkMaxSim, in blocks of documents, and prints seconds of clock
// and of processors.
const numpyLoop = `
import sys, time
import numpy as np
queries, documents, tokens, dim, length, repeats = map(int, sys.argv[1:])
rng = np.random.default_rng(1)
q = rng.standard_normal((queries * length, dim), dtype=np.float32)
stored = rng.standard_normal((documents * tokens, dim), dtype=np.float32)
begin, spent = time.perf_counter(), time.process_time()
for _ in range(repeats):
    for first in range(0, documents, 256):
        block = stored[first * tokens:(first + 256) * tokens]
        largest = (q @ block.T).reshape(queries * length, -1, tokens).max(axis=2)
        scores = largest.reshape(queries, length, -1).sum(axis=1)
print((time.perf_counter() - begin) / repeats, (time.process_time() - spent) / repeats)
`

// BenchmarkMaxSimNumpy does the same work in a plain loop over numpy products, if a python3 has
// numpy.
func BenchmarkMaxSimNumpy(b *testing.B) {
	queries, documents, tokens, dim := sizeOf(b, os.Getenv("INFBENCH_MAXSIM"))
	python := withNumpy(b)
	out, err := exec.Command(python, "-c", numpyLoop, fmt.Sprint(queries), fmt.Sprint(documents), fmt.Sprint(tokens), fmt.Sprint(dim), fmt.Sprint(benchTokens), fmt.Sprint(b.N)).Output()
	if err != nil {
		b.Fatal(err)
	}
	var seconds, spent float64
	if _, err := fmt.Sscan(string(out), &seconds, &spent); err != nil {
		b.Fatalf("numpy's loop printed %q: %v", out, err)
	}
	products := float64(queries) * benchTokens * float64(documents) * float64(tokens) * float64(dim)
	b.ReportMetric(seconds*1e9, "ns/op")
	b.ReportMetric(spent, "cpu-s/op")
	b.ReportMetric(2*products/seconds/1e9, "GFLOP/s")
}

// withNumpy is a python3 that has numpy: the first on the path, or Debian's, for which the
// package python3-numpy is meant.
func withNumpy(b *testing.B) string {
	b.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	b.Skip("SKIP: no python3 has numpy (apt-get install python3-numpy): there is nothing to compare with")
	return ""
}
