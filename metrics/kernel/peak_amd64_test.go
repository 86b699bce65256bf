package kernel

// peaks are loops of multiply-adds by kernel set, with the operations of one round.
var peaks = map[string]peakLoop{
	AVX2:   {12 * 8 * 2, peakAVX2},
	AVX512: {24 * 16 * 2, peakAVX512},
}
