package kernel

var avx2Kernels = avx2Set()

// avx2Set is the set of processors with AVX2 and FMA: eight elements per register, and
// sixteen registers.
func avx2Set() set {
	s := portableKernels
	s.name = AVX2
	s.elements, s.rows = elementsAVX2, rowsAVX2
	s.dot = dotAVX2
	s.widenBytes = widenBytes256
	s.micro = micro{
		rows: 6, columns: 16, tile: tileAVX2, copyRows: copyRowsAVX2,
		transposers: []transposer{{8, transposeAVX2}, {4, transposeAVX}},
	}
	return s
}

// copyRowsAVX2 copies complete rows in assembly.
func copyRowsAVX2(dst *float32, dstRow int, src *float32, srcRow, rows, columns int) {
	if columns == 16 {
		copyAVX2(dst, dstRow, src, srcRow, rows, columns)
		return
	}
	copyRows(dst, dstRow, src, srcRow, rows, columns)
}
