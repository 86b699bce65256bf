package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A dot product adds into eight registers in turn and then adds these in pairs; one of them
// also takes the tail. Eight registers hide the latency of multiply-adds on two ports.
const dotSignature = "func(a, b []float32) float32"

// dotLoop adds full registers of the given bytes: eight at a time, then one.
func dotLoop(v []VecPhysical, bytes int, clear func(VecPhysical)) {
	Load(Param("a").Base(), RAX)
	Load(Param("b").Base(), RBX)
	Load(Param("a").Len(), RCX)
	for i := range 8 {
		clear(v[i])
	}
	at := func(base Register, i int) Mem { return Mem{Base: base, Disp: bytes * i} }
	step := func(label string, n int) {
		Label(label)
		CMPQ(RCX, Imm(uint64(n*bytes/4)))
		JLT(LabelRef(label + "_done"))
		for i := range n {
			VMOVUPS(at(RAX, i), v[8+i%4])
			VFMADD231PS(at(RBX, i), v[8+i%4], v[i])
		}
		ADDQ(U32(n*bytes), RAX)
		ADDQ(U32(n*bytes), RBX)
		SUBQ(U32(n*bytes/4), RCX)
		JMP(LabelRef(label))
		Label(label + "_done")
	}
	step("eight", 8)
	step("one", 1)
}

// fold adds the eight registers in pairs into the first.
func fold(v []VecPhysical) {
	for n := 4; n > 0; n /= 2 {
		for i := range n {
			VADDPS(v[i+n], v[i], v[i])
		}
	}
}

// fold256 adds the elements of Y0, with Y1, and returns the sum.
func fold256() {
	VEXTRACTF128(Imm(1), Y0, X1)
	VADDPS(X1, X0, X0)
	VMOVHLPS(X0, X0, X1)
	VADDPS(X1, X0, X0)
	VMOVSHDUP(X0, X1)
	VADDSS(X1, X0, X0)
	VZEROUPPER()
	Store(X0, ReturnIndex(0))
	RET()
}

func dot512() {
	TEXT("dotAVX512", NOSPLIT, dotSignature)
	Doc("dotAVX512 is the sum of a[i]·b[i] over the elements of a.")
	Pragma("noescape")
	dotLoop(zmm, 64, func(v VecPhysical) { VPXORD(v, v, v) })
	MOVQ(U32(1), R9)
	SHLQ(CL, R9)
	DECQ(R9)
	KMOVW(R9.As32(), K1)
	VMOVUPS_Z(Mem{Base: RAX}, K1, Z8)
	VMOVUPS_Z(Mem{Base: RBX}, K1, Z9)
	VFMADD231PS(Z8, Z9, Z1)
	fold(zmm)
	VEXTRACTF32X8(Imm(1), Z0, Y1)
	VADDPS(Y1, Y0, Y0)
	fold256()
}

func dot256() {
	TEXT("dotAVX2", NOSPLIT, dotSignature)
	Doc("dotAVX2 is the sum of a[i]·b[i] over the elements of a.")
	Pragma("noescape")
	dotLoop(ymm, 32, func(v VecPhysical) { VXORPS(v, v, v) })
	maskOf(RCX, ymm[12])
	VMASKMOVPS(Mem{Base: RAX}, ymm[12], ymm[8])
	VMASKMOVPS(Mem{Base: RBX}, ymm[12], ymm[9])
	VFMADD231PS(ymm[8], ymm[9], ymm[1])
	fold(ymm)
	fold256()
}
