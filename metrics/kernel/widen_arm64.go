package kernel

// widenBytesNEON writes as many elements as fill two registers at a time, and returns their
// number.
//
//go:noescape
func widenBytesNEON(dst []float32, src []int8) int

// widenHalvesNEON writes as many elements as fill two registers at a time, and returns their
// number.
//
//go:noescape
func widenHalvesNEON(dst []float32, src []uint16) int
