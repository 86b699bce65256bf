package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// A product has the same bytes on every kind of processor: the expected bytes were computed
// with AVX2, AVX-512 and NEON. The portable set also rounds products, except those of bfloat16
// numbers, which are exact.
func TestProductOfEveryProcessor(t *testing.T) {
	a, b := numbers(13*300, 1), numbers(300*37, 2)
	eachSet(t, func(t *testing.T) {
		p := Product{M: 13, N: 37, K: 300, A: View{Data: a, Row: 300, Column: 1}, B: View{Data: b, Row: 37, Column: 1}, C: make([]float32, 13*37), CRow: 37, BFloat16: true}
		p.Run(InTurn)
		if got, want := digest(p.C), uint64(0x144c876de934ec8a); got != want {
			t.Errorf("bfloat16: other bytes: %#x, not %#x", got, want)
		}
		if Name() == Portable {
			return
		}
		p.BFloat16 = false
		p.Run(InTurn)
		if got, want := digest(p.C), uint64(0xd47fe3bbc7f4d973); got != want {
			t.Errorf("other bytes: %#x, not %#x", got, want)
		}
	})
}

// The same holds for functions of elements and of rows, with AVX2 and AVX-512; functions
// whose result depends on the number of parallel sums have expected bytes per set. An
// approximate instruction that vendors implement differently, such as RCPPS, would fail.
func TestFunctionsOfEveryProcessor(t *testing.T) {
	a, gain, offset := numbers(300, 3), numbers(300, 4), numbers(300, 5)
	Scale(a, a, 8, 0)
	all := append(functions(),
		function{name: "softmax", f: Softmax},
		function{name: "layer norm", f: func(dst, a []float32) { LayerNorm(dst, a, gain, offset, 1e-5) }},
		function{name: "sum", f: func(dst, a []float32) { dst[0] = Sum(a) }})
	eachSet(t, func(t *testing.T) {
		if Name() == Portable {
			return
		}
		for _, f := range all {
			dst := make([]float32, len(a))
			f.f(dst, a)
			want := bytesOf[f.name+" "+Float32(Name())]
			if want == 0 {
				want = bytesOf[f.name]
			}
			if got := digest(dst); got != want {
				t.Errorf("%s: other bytes: %#x, not %#x", f.name, got, want)
			}
		}
	})
}

// bytesOf are digests of recorded results, for any vector set or for one.
var bytesOf = map[string]uint64{
	"exp":        0x3c07d7e9e9f03700,
	"erf":        0xdf1a732f8b1e32d1,
	"tanh":       0x942351ed6c64ff6b,
	"logistic":   0xf6486c7a7242a986,
	"sqrt":       0x46ef0614e5a26554,
	"reciprocal": 0xf51e163d1777219d,
	"rsqrt":      0x15f5f937a8cf3ec1,
	"sign":       0x16346be171786485,
	"negate":     0xda7b885d23a9c105,
	"absolute":   0x90dcf16647eb1785,
	"softmax":    0xe83eff78cbb27557,

	"GELU": 0xb5e75df4a4c7c1b6, "GELU neon": 0xef8d8194fe105e28,
	"GELU'": 0x50eb35665caa9748, "GELU' neon": 0x2dc147b975121e1a,
	"GELU' below -2": 0x6d195d3ae732c85, "GELU' below -2 neon": 0xc3b3ed0455804ece,

	"sum avx2": 0x59f9aa59cddcb56, "sum avx512": 0x92b3b3f7fb1d0f3e, "sum neon": 0x9f0dbffd30cd6a29,
	"layer norm avx2": 0x85daaa0069b2c0c3, "layer norm avx512": 0x17d220d8f1415fd3, "layer norm neon": 0x8b04049ab940d44a,
}

// digest returns a digest of the bytes of values. All NaN are treated as equal: processors
// differ in their signs.
func digest(values []float32) uint64 {
	h := fnv.New64a()
	for _, v := range values {
		if v != v {
			v = float32(math.NaN())
		}
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
	return h.Sum64()
}

// numbers returns n fixed values from -1 to 1 (a linear congruential generator, Knuth's
// MMIX), which do not depend on a compiler's rounding.
func numbers(n int, seed uint64) []float32 {
	values := make([]float32, n)
	for i := range values {
		seed = seed*6364136223846793005 + 1442695040888963407
		values[i] = float32(int32(seed>>40)-1<<23) / (1 << 23)
	}
	return values
}
