package kernel

var avx512Kernels = avx512Set()

// avx512Set is the set of processors with AVX-512 F, BW, DQ and VL: sixteen elements per
// register, 32 registers, and masks for tails.
func avx512Set() set {
	s := avx2Kernels
	s.name = AVX512
	s.elements, s.rows = elementsAVX512, rowsAVX512
	s.dot = dotAVX512
	s.widenBytes, s.widenHalves = widenBytes512, widenHalves512
	s.micro = micro{
		rows: 12, columns: 32, tile: tileAVX512, copyRows: copyAVX512,
		transposers: []transposer{{16, transposeAVX512}, {8, transposeAVX2}, {4, transposeAVX}},
	}
	return s
}
