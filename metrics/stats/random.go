package stats

import (
	"math/bits"
	"math/rand/v2"
)

// source returns the generator for a seed. PCG's output is fixed by its documentation; the
// second word only separates seeds 0 and 1.
func source(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x9e3779b97f4a7c15) }

// draw returns an integer in [0, n). Its bias is below n/2⁶⁴, and unlike rand.IntN it takes
// one word per call for any n.
func draw(r *rand.PCG, n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}
