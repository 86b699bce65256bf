package kernel

var avx512 = avx512Set()

// avx512Set is the set of processors with AVX-512 F, BW, DQ and VL: sixteen elements in
// a register, 32 registers, and masks for what is less.
func avx512Set() set {
	s := avx2
	s.name = AVX512
	return s
}
