package kernel

var neonKernels = neonSet()

// neonSet is the set of arm64, which always has these instructions: four elements per
// register, and 32 registers.
func neonSet() set {
	s := portableKernels
	s.name = NEON
	s.elements, s.rows = elementsNEON, rowsNEON
	s.dot = dotNEON
	s.widenBytes, s.widenHalves = widenBytesNEON, widenHalvesNEON
	s.micro = micro{
		rows: 6, columns: 16, tile: tileNEON, copyRows: copyRowsNEON,
		transposers: []transposer{{4, transposeNEON}},
	}
	return s
}
