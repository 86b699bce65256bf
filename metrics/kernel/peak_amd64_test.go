package kernel

// peaks are loops of multiply-adds by kernel set, with the operations of one round.
var peaks = map[string]peakLoop{
	AVX2:   {12 * 8 * 2, peakAVX2},
	AVX512: {24 * 16 * 2, peakAVX512},

	AVX512BF16: peakOfBFloat16(),
}

// peakOfBFloat16 returns the loop of the faster kernels for products of bfloat16 numbers.
func peakOfBFloat16() peakLoop {
	if HasBFloat16() && fasterBFloat16() == &pairsAVX512BF16 {
		return peakLoop{24 * 16 * 4, peakPairsAVX512}
	}
	return peakLoop{24 * 16 * 2, peakAVX512}
}
