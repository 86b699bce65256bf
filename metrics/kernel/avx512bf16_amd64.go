package kernel

import (
	"math"
	"sync"
	"time"
)

var avx512BF16Kernels = avx512BF16Set()

// avx512BF16Set is the set of processors that also have AVX512_BF16.
func avx512BF16Set() set {
	s := avx512Kernels
	s.name = AVX512BF16
	s.bfloat16 = fasterBFloat16
	return s
}

// The kernels for products of bfloat16 numbers. They give the same bytes; which are faster
// depends on the processor (asm/bfloat16.go).
var (
	pairsAVX512BF16   = roundingAVX512(rounding{2, pairsAVX512, interleaveAVX512}, tilePairsAVX512)
	flushedAVX512BF16 = roundingAVX512(rounding{1, roundAVX512, roundAVX512}, tileFlushedAVX512)
)

func roundingAVX512(r rounding, tile tileFunc) micro {
	m := avx512Kernels.micro
	m.tile, m.rounding = tile, &r
	return m
}

// fasterBFloat16 compares the instructions of the two kernels once. VDPBF16PS does the work of
// two multiply-adds; on Intel's Emerald Rapids it takes as long as four.
var fasterBFloat16 = sync.OnceValue(func() *micro {
	const rounds, turns = 1000, 5
	pairs, singles := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range turns {
		start := time.Now()
		peakPairsAVX512(rounds)
		between := time.Now()
		peakAVX512(2 * rounds)
		pairs, singles = min(pairs, between.Sub(start)), min(singles, time.Since(between))
	}
	if pairs < singles {
		return &pairsAVX512BF16
	}
	return &flushedAVX512BF16
})
