package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// widen begins a function that converts full registers of narrow elements, of the given bytes
// each, into registers of float32; turn loads one of them into v from memory.
func widen(name, doc, element string, bytes int, v []VecPhysical, register int, turn func(from Mem, v VecPhysical)) {
	TEXT(name, NOSPLIT, "func(dst *float32, src *"+element+", registers int)")
	Doc(name + " " + doc)
	Pragma("noescape")
	Load(Param("dst"), RAX)
	Load(Param("src"), RBX)
	Load(Param("registers"), RCX)
	step := func(label string, n int) {
		Label(label)
		CMPQ(RCX, Imm(uint64(n)))
		JLT(LabelRef(label + "_done"))
		for i := range n {
			turn(Mem{Base: RBX, Disp: i * bytes * register / 4}, v[i])
		}
		for i := range n {
			VMOVUPS(v[i], Mem{Base: RAX, Disp: i * register})
		}
		ADDQ(U32(n*register), RAX)
		ADDQ(U32(n*bytes*register/4), RBX)
		SUBQ(U32(n), RCX)
		JMP(LabelRef(label))
		Label(label + "_done")
	}
	step("four", 4)
	step("one", 1)
	VZEROUPPER()
	RET()
}

func bytesToFloats(from Mem, v VecPhysical) {
	VPMOVSXBD(from, v)
	VCVTDQ2PS(v, v)
}

func widen512() {
	widen("widenBytesAVX512", "writes registers of 16 elements of src as float32.", "int8", 1, zmm, 64, bytesToFloats)
	widen("widenHalvesAVX512", "writes registers of 16 binary16 numbers as float32.", "uint16", 2, zmm, 64,
		func(from Mem, v VecPhysical) { VCVTPH2PS(from, v) })
}

func widen256() {
	widen("widenBytesAVX2", "writes registers of 8 elements of src as float32.", "int8", 1, ymm, 32, bytesToFloats)
}
