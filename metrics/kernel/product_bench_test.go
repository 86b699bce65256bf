package kernel

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// peakLoop computes floating-point operations in registers alone.
type peakLoop struct {
	operations float64 // operations of a round
	run        func(rounds int)
}

// peakRate returns the operations per second of the current set, the best of ten short runs;
// 0 if its peak is not measured.
func peakRate() float64 {
	loop, known := peaks[Name()]
	if !known {
		return 0
	}
	const rounds = 200_000
	best := 0.0
	for range 10 {
		start := processorTime()
		loop.run(rounds)
		best = max(best, rounds*loop.operations/(processorTime()-start).Seconds())
	}
	return best
}

// BenchmarkProduct uses one goroutine; the set avx512bf16 multiplies bfloat16 numbers. It reports GFLOP/s of processor time and the share of
// the processor's peak, which is measured just before. MiniLM's shapes are those of 32 × 128
// tokens, the demo's those of 32 × 26.
func BenchmarkProduct(b *testing.B) {
	for _, c := range []struct {
		name           string
		batch, m, k, n int
		a, b           bool // transposed
		accumulate     bool
	}{
		{"MiniLM/projection", 1, 4096, 384, 384, false, false, false},
		{"MiniLM/intermediate", 1, 4096, 384, 1536, false, false, false},
		{"MiniLM/output", 1, 4096, 1536, 384, false, false, false},
		{"MiniLM/output/transposed", 1, 4096, 1536, 384, false, true, false},
		{"MiniLM/gradient", 1, 384, 4096, 1536, true, false, true},
		{"MiniLM/scores", 384, 128, 32, 128, false, true, false},
		{"MiniLM/attention", 384, 128, 128, 32, false, false, false},
		{"cached/scores", 4, 128, 32, 128, false, true, false},
		{"cached/attention", 4, 128, 128, 32, false, false, false},
		{"MiniLM/short/scores", 384, 26, 32, 26, false, true, false},
		{"MiniLM/short/attention", 384, 26, 26, 32, false, false, false},
		{"demo/projection", 1, 832, 128, 128, false, false, false},
		{"demo/narrow", 1, 832, 64, 64, false, false, false},
		{"demo/intermediate", 1, 832, 128, 512, false, false, false},
		{"demo/output", 1, 832, 512, 128, false, true, false},
		{"demo/gradient", 1, 128, 832, 512, true, false, false},
		{"demo/scores", 64, 26, 64, 26, false, true, false},
		{"demo/attention", 64, 26, 26, 64, false, false, false},
		{"skinny/row", 1, 1, 384, 384, false, false, false},
		{"skinny/rows", 1, 16, 384, 384, false, false, false},
		{"skinny/column", 1, 4096, 384, 1, false, true, false},
		{"search/1", 1, 1, 384, 65536, false, true, false},
		{"search/200", 1, 200, 384, 4096, false, true, false},
		{"search/200/documents-by-queries", 1, 4096, 384, 200, false, true, false},
		{"square", 1, 1024, 1024, 1024, false, false, false},
	} {
		p := benchmarked(c.batch, c.m, c.k, c.n, c.a, c.b, c.accumulate)
		b.Run(fmt.Sprintf("%s/%dx(%dx%dx%d)", c.name, c.batch, c.m, c.k, c.n), func(b *testing.B) {
			eachSetOf(b, func(b *testing.B) {
				p.BFloat16 = HasBFloat16()
				p.rate(b)
			})
		})
	}
}

func eachSetOf(b *testing.B, run func(b *testing.B)) {
	used := Name()
	defer use(b, used)
	for _, name := range Available()[1:] {
		b.Run(name, func(b *testing.B) {
			use(b, name)
			run(b)
		})
	}
}

func benchmarked(batch, m, k, n int, ta, tb, accumulate bool) *Product {
	random := rand.New(rand.NewPCG(1, 1))
	matrix := func(rows, columns int, transposed bool) View {
		v := View{make([]float32, batch*rows*columns), columns, 1}
		if transposed {
			v.Row, v.Column = 1, rows
		}
		fill(random, v.Data, 0)
		return v
	}
	return &Product{M: m, N: n, K: k, A: matrix(m, k, ta), B: matrix(k, n, tb), C: make([]float32, batch*m*n), CRow: n,
		Batch: batch, ABatch: m * k, BBatch: k * n, CBatch: m * n, Accumulate: accumulate}
}

func (p *Product) rate(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	peak := peakRate()
	p.Run(InTurn) // allocates C's memory
	start := processorTime()
	for b.Loop() {
		p.Run(InTurn)
	}
	rate := 2 * float64(p.Batch*p.M*p.N*p.K) * float64(b.N) / (processorTime() - start).Seconds()
	b.ReportMetric(rate/1e9, "GFLOP/s")
	if peak > 0 {
		b.ReportMetric(100*rate/peak, "%peak")
	}
}

func BenchmarkDot(b *testing.B) {
	x := make([]float32, 384)
	eachSetOf(b, func(b *testing.B) {
		for b.Loop() {
			Dot(x, x)
		}
	})
}
