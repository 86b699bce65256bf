package kernel

import "golang.org/x/sys/cpu"

// detected checks which sets the processor supports, and whether the operating system saves
// their registers (XCR0), without which they cannot be used.
func detected() []*set {
	found := []*set{&portableKernels}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return found
	}
	found = append(found, &avx2Kernels)
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		found = append(found, &avx512Kernels)
		if x.HasAVX512BF16 {
			found = append(found, &avx512BF16Kernels)
		}
	}
	return found
}
