package kernel

var avx2 = avx2Set()

// avx2Set is the set of processors with AVX2 and FMA: eight elements in a register, and
// sixteen registers.
func avx2Set() set {
	s := portable
	s.name = AVX2
	return s
}
