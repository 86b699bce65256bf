package kernel

import "golang.org/x/sys/cpu"

// detected asks the processor what it has, and whether the operating system saves the
// registers (XCR0), without which they cannot be used.
func detected() []*set {
	found := []*set{&portableKernels}
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return found
	}
	found = append(found, &avx2Kernels)
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		found = append(found, &avx512Kernels)
	}
	return found
}
