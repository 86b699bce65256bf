package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// A product is the same bytes on processors of every kind: what AVX2, AVX-512 and NEON
// made of these matrices when this was written. The portable set rounds products, too.
func TestProductOfEveryProcessor(t *testing.T) {
	a, b := numbers(13*300, 1), numbers(300*37, 2)
	eachSet(t, func(t *testing.T) {
		if Name() == Portable {
			return
		}
		p := Product{M: 13, N: 37, K: 300, A: View{Data: a, Row: 300, Column: 1}, B: View{Data: b, Row: 37, Column: 1}, C: make([]float32, 13*37), CRow: 37}
		p.Run(InTurn)
		h := fnv.New64a()
		for _, v := range p.C {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
		if got, want := h.Sum64(), uint64(0xd47fe3bbc7f4d973); got != want {
			t.Errorf("other bytes: %#x, not %#x", got, want)
		}
	})
}

// numbers are n fixed ones from -1 to 1 (a linear congruential generator, Knuth's MMIX),
// which no compiler's rounding changes.
func numbers(n int, seed uint64) []float32 {
	values := make([]float32, n)
	for i := range values {
		seed = seed*6364136223846793005 + 1442695040888963407
		values[i] = float32(int32(seed>>40)-1<<23) / (1 << 23)
	}
	return values
}
