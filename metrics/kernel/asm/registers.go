package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The vector registers by number.
var (
	xmm = []VecPhysical{X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14, X15}
	ymm = []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13, Y14, Y15}
	zmm = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
		Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31}
)

// signs is the table of eight set and eight empty elements; maskOf takes eight consecutive
// ones.
var signs Mem

func signs256() {
	signs = GLOBL("signs", RODATA|NOPTR)
	for i := range 8 {
		sign := uint64(1<<64-1) >> (i / 4 * 63) >> (i / 4)
		DATA(8*i, U64(sign)) // two elements
	}
}

// maskOf sets mask to the first n of eight elements; n, at most 8, and R9 are overwritten.
func maskOf(n GPPhysical, mask VecPhysical) {
	NEGQ(n)
	LEAQ(signs, R9)
	VMOVUPS(Mem{Base: R9, Index: n, Scale: 4, Disp: 32}, mask)
}
