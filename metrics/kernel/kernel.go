// Package kernel computes the float32 work of encoders and of exact search: matrix
// products, activations, normalisations and sums, with the vector instructions that the
// processor has. It knows nothing of models, graphs or documents, and imports no other
// package of this project.
//
// Every function has one result for one kernel set, whatever the number of processors
// and however the work is divided: sums are added in an order that the sizes alone
// decide. Between kernel sets results differ in the last bits, by the ulps that each
// function states against the portable one, which is plain Go.
//
// To add a kernel: write it in portable.go's terms, hold it to the portable one in
// properties_test.go, and name it in the table of its set.
package kernel

import (
	"fmt"
	"strings"
)

// The kernel sets by name, the fastest last.
const (
	Portable = "portable" // plain Go
	NEON     = "neon"     // arm64
	AVX2     = "avx2"     // amd64 with AVX2 and FMA
	AVX512   = "avx512"   // amd64 with AVX-512 F, BW, DQ and VL
)

// set is what differs between kernel sets. Each begins as a copy of the next slower one
// and names what it has better.
type set struct {
	name  string
	dot   func(a, b []float32) float32
	micro micro // for products
	elements
	rows

	// As much of the beginning of dst as they like; nil is nothing.
	widenBytes  func(dst []float32, src []int8) int
	widenHalves func(dst []float32, src []uint16) int
}

// sets are those that this processor can run, the fastest last (sets_GOARCH.go);
// current is in use.
var (
	sets    = detected()
	current = sets[len(sets)-1]
)

// Name is that of the kernel set in use.
func Name() string { return current.name }

// Available are the names of the sets that this processor can run, the fastest last.
func Available() []string {
	var names []string
	for _, s := range sets {
		names = append(names, s.name)
	}
	return names
}

// Use computes with a named set from now on. It is meant for the start of a program and
// for tests: not while something is computed.
func Use(name string) error {
	for _, s := range sets {
		if s.name == name {
			current = s
			return nil
		}
	}
	return fmt.Errorf("this processor has no kernel set %q (it has: %s)", name, strings.Join(Available(), ", "))
}
