// Package kernel computes the float32 work of encoders and of exact search with the
// processor's vector instructions: matrix products, activations, normalisations and sums. It
// knows no models, graphs or documents, and imports no other package of this project.
//
// With one kernel set every function has one result, for any number of processors and any
// division of the work: the order of summation depends on the sizes alone. Between kernel
// sets, results differ in the last bits; each function states the ulps relative to the
// portable set, which is plain Go.
//
// To add a kernel: write it for portable.go, compare it with the portable one in
// properties_test.go, and add it to the table of its set.
package kernel

import (
	"fmt"
	"strings"
)

// The kernel sets by name; the last is the fastest.
const (
	Portable = "portable" // plain Go
	NEON     = "neon"     // arm64
	AVX2     = "avx2"     // amd64 with AVX2 and FMA
	AVX512   = "avx512"   // amd64 with AVX-512 F, BW, DQ and VL

	AVX512BF16 = "avx512bf16" // avx512 with AVX512_BF16; float32 results are those of avx512
)

// set holds the functions that differ between kernel sets. Each set begins as a copy of the
// next slower one and replaces the functions for which it has faster ones.
type set struct {
	name  string
	dot   func(a, b []float32) float32
	micro micro // kernels for products
	// bfloat16 returns the kernels for products of bfloat16 numbers; without a tile, plain Go
	// computes them.
	bfloat16 func() *micro
	elements
	rows

	// They widen as much of the beginning of dst as they choose and return that length; nil
	// widens nothing.
	widenBytes  func(dst []float32, src []int8) int
	widenHalves func(dst []float32, src []uint16) int
}

// sets are the sets that this processor can run, the fastest last (sets_GOARCH.go); current
// is in use.
var (
	sets    = detected()
	current = sets[len(sets)-1]
)

// Name returns the name of the current kernel set.
func Name() string { return current.name }

// Float32 returns the name of the set that gives a set's float32 results: avx512 for avx512bf16,
// else the set's own.
func Float32(set string) string {
	if set == AVX512BF16 {
		return AVX512
	}
	return set
}

// HasBFloat16 reports whether the current set multiplies bfloat16 numbers with the processor's
// vector instructions.
func HasBFloat16() bool { return current.name == AVX512BF16 }

// Available returns the names of the sets that this processor can run, the fastest last.
func Available() []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.name)
	}
	return names
}

// Use selects a kernel set for all further computation. Call it at the start of a program or
// in tests, never during a computation.
func Use(name string) error {
	for _, s := range sets {
		if s.name == name {
			current = s
			return nil
		}
	}
	return fmt.Errorf("this processor has no kernel set %q (it has: %s)", name, strings.Join(Available(), ", "))
}
