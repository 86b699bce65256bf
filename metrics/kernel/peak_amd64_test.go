package kernel

// peaks are loops of multiply-adds by kernel set, and the operations of a round.
var peaks = map[string]peakLoop{
	AVX2:   {12 * 8 * 2, peakAVX2},
	AVX512: {24 * 16 * 2, peakAVX512},
}
