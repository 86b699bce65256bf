package kernel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// measured is a kernel to measure, with arguments of one length.
type measured struct {
	name   string
	slices int // slices read or written in one round
	run    func(dst, a, b []float32)
}

// BenchmarkElements measures one goroutine on slices that stay in the second cache, compared
// with the functions of package math, which compute one element at a time. Elements and bytes
// are per second of processor time.
func BenchmarkElements(b *testing.B) {
	const n = 4096
	for _, m := range []measured{
		{"add", 3, Add},
		{"multiply", 3, Multiply},
		{"divide", 3, Divide},
		{"scale", 2, func(dst, a, _ []float32) { Scale(dst, a, 0.5, 1) }},
		{"multiplyAdd", 3, func(dst, a, b []float32) { MultiplyAdd(dst, a, b, dst) }},
		{"maximum", 3, Maximum},
		{"sqrt", 2, single2(Sqrt)},
		{"exp", 2, single2(Exp)},
		{"erf", 2, single2(Erf)},
		{"tanh", 2, single2(Tanh)},
		{"logistic", 2, single2(Logistic)},
		{"GELU", 2, single2(GELU)},
		{"GELUGradient", 3, GELUGradient},
		{"sum", 1, func(dst, a, _ []float32) { dst[0] = Sum(a) }},
		{"max", 1, func(dst, a, _ []float32) { dst[0] = Max(a) }},
	} {
		benchmarkSets(b, m, n)
	}
	for _, m := range []measured{
		{"math/exp", 2, oneByOne(math.Exp)},
		{"math/erf", 2, oneByOne(math.Erf)},
		{"math/tanh", 2, oneByOne(math.Tanh)},
		{"math/GELU", 2, oneByOne(func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) })},
	} {
		b.Run(m.name, func(b *testing.B) { m.benchmark(b, n) })
	}
}

// BenchmarkRows is BenchmarkElements for rows as long as attention's and as MiniLM's hidden
// states.
func BenchmarkRows(b *testing.B) {
	ones := make([]float32, 384)
	Add(ones, ones, []float32{1})
	for _, m := range []measured{
		{"softmax/26", 2, rows2(26, func(dst, a, _ []float32) { Softmax(dst, a) })},
		{"softmax/128", 2, rows2(128, func(dst, a, _ []float32) { Softmax(dst, a) })},
		{"softmaxGradient/128", 3, rows2(128, SoftmaxGradient)},
		{"layerNorm/384", 2, rows2(384, func(dst, a, _ []float32) { LayerNorm(dst, a, ones, ones, epsilon) })},
		{"layerNormGradient/384", 3, rows2(384, func(dst, a, v []float32) { LayerNormGradient(dst, nil, nil, a, v, ones, epsilon) })},
		{"sumRows/384", 1, func(dst, a, _ []float32) { SumRows(dst[:384], a) }},
	} {
		benchmarkSets(b, m, 3840)
	}
}

// benchmarkSets runs one benchmark with every set.
func benchmarkSets(b *testing.B, m measured, n int) {
	used := Name()
	defer use(b, used)
	for _, name := range Available() {
		use(b, name)
		b.Run(m.name+"/"+name, func(b *testing.B) { m.benchmark(b, n) })
	}
}

func (m measured) benchmark(b *testing.B, n int) {
	runtime.LockOSThread() // processorTime measures one thread
	defer runtime.UnlockOSThread()
	random := rand.New(rand.NewPCG(1, 2))
	dst, v, w := make([]float32, n), values(random, n, 0), values(random, n, 0)
	start, rounds := processorTime(), 0
	for b.Loop() {
		m.run(dst, v, w)
		rounds++
	}
	seconds := (processorTime() - start).Seconds()
	b.ReportMetric(float64(n)*float64(rounds)/seconds/1e6, "M-elements/s")
	b.ReportMetric(4*float64(m.slices)*float64(n)*float64(rounds)/seconds/1e9, "GB/s")
}

// single2 adapts a kernel of one argument to two.
func single2(f func(dst, a []float32)) func(dst, a, b []float32) {
	return func(dst, a, _ []float32) { f(dst, a) }
}

// rows2 runs a kernel of rows over all complete rows of its arguments.
func rows2(width int, f func(dst, a, b []float32)) func(dst, a, b []float32) {
	return func(dst, a, b []float32) {
		for i := 0; i+width <= len(dst); i += width {
			f(dst[i:i+width], a[i:i+width], b[i:i+width])
		}
	}
}

func oneByOne(f func(float64) float64) func(dst, a, b []float32) {
	return func(dst, a, _ []float32) {
		for i, x := range a {
			dst[i] = float32(f(float64(x)))
		}
	}
}
