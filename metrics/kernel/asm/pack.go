package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Packing places the rows of B that a tile reads next to each other: panels of as many
// columns as a tile is wide.
//
// # Transposing
//
// If B is a transposed matrix, a row of a panel consists of the beginnings of rows in memory.
// Four steps of k are transposed at once: register i takes 4 elements of each of the source
// rows i, 4+i, 8+i and so on, one row in each of its 128-bit lanes, straight from memory, and
// two rounds of unpacking transpose 4 × 4 in every lane. The lanes then are in order:
//
//	register i: | row i, k 0-3 | row 4+i, k 0-3 | ...   (i = 0 - 3)
//	after both: | k i, rows 0-3 | k i, rows 4-7 | ...
//
//	AX source, R9 a second source of rows from 8 on, BX CX DX SI  1, 3, 5, 7 rows of it
//	R10 destination, R11 its rows, R12 rounds of four steps left
//	R13, R15 the next rows, which are prefetched: a processor does not predict so
//	many streams by itself, and a search with one query is mostly packing
const transposeSignature = "func(dst *float32, dstRow int, src *float32, srcRow, quads int)"

func transposeDoc(name, columns string) {
	Doc(name + " writes 4·quads rows of " + columns + " columns: the first elements of " + columns + " rows of src.")
	Pragma("noescape")
}

// transpose writes the loop for lanes of 4 rows; gather loads register i.
func transpose(lanes int, low []VecPhysical, gather func(i int)) {
	Load(Param("dst"), R10)
	Load(Param("dstRow"), R11)
	SHLQ(Imm(2), R11)
	Load(Param("src"), RAX)
	Load(Param("srcRow"), RBX)
	SHLQ(Imm(2), RBX)
	oddRows(4)
	if lanes > 2 {
		LEAQ(Mem{Base: RAX, Index: RBX, Scale: 8}, R9)
	}
	quad := func() { fourSteps(lanes, low, gather) }
	Load(Param("quads"), R12)
	TESTQ(R12, R12)
	JLE(LabelRef("done"))
	if lanes > 1 {
		Comment("complete lines of 16 elements, while the rows that come next are fetched into the second cache")
		LEAQ(Mem{Base: RAX, Index: RBX, Scale: 8}, R13)
		if lanes > 2 {
			LEAQ(Mem{Base: R13, Index: RBX, Scale: 8}, R13)
			LEAQ(Mem{Base: R13, Index: RBX, Scale: 8}, R15)
		}
		Label("line")
		CMPQ(R12, Imm(4))
		JLT(LabelRef("rest"))
		for q := range 4 {
			for i := range lanes {
				row := q*lanes + i
				PREFETCHT1(rowAddress([]GPPhysical{R13, R15}[row/8], row%8))
			}
			quad()
		}
		ADDQ(Imm(64), R13)
		if lanes > 2 {
			ADDQ(Imm(64), R15)
		}
		SUBQ(Imm(4), R12)
		JMP(LabelRef("line"))
		Label("rest")
		TESTQ(R12, R12)
		JLE(LabelRef("done"))
	}
	Label("quad")
	quad()
	DECQ(R12)
	JNE(LabelRef("quad"))
	Label("done")
	VZEROUPPER()
	RET()
}

// fourSteps transposes four steps of k and advances.
func fourSteps(lanes int, v []VecPhysical, gather func(i int)) {
	for i := range 4 {
		gather(i)
	}
	Comment("pairs of rows, then of pairs")
	VUNPCKLPS(v[1], v[0], v[4])
	VUNPCKHPS(v[1], v[0], v[5])
	VUNPCKLPS(v[3], v[2], v[6])
	VUNPCKHPS(v[3], v[2], v[7])
	VUNPCKLPD(v[6], v[4], v[0])
	VUNPCKHPD(v[6], v[4], v[1])
	VUNPCKLPD(v[7], v[5], v[2])
	VUNPCKHPD(v[7], v[5], v[3])
	for i := range 4 {
		VMOVUPS(v[i], Mem{Base: R10})
		ADDQ(R11, R10)
	}
	ADDQ(Imm(16), RAX)
	if lanes > 2 {
		ADDQ(Imm(16), R9)
	}
}

func transpose512() {
	TEXT("transposeAVX512", NOSPLIT, transposeSignature)
	transposeDoc("transposeAVX512", "16")
	transpose(4, zmm, func(i int) {
		VMOVUPS(rowAddress(RAX, i), xmm[i])
		VINSERTF32X4(Imm(1), rowAddress(RAX, 4+i), zmm[i], zmm[i])
		VINSERTF32X4(Imm(2), rowAddress(R9, i), zmm[i], zmm[i])
		VINSERTF32X4(Imm(3), rowAddress(R9, 4+i), zmm[i], zmm[i])
	})
}

func transpose256() {
	TEXT("transposeAVX2", NOSPLIT, transposeSignature)
	transposeDoc("transposeAVX2", "8")
	transpose(2, ymm, func(i int) {
		VMOVUPS(rowAddress(RAX, i), xmm[i])
		VINSERTF128(Imm(1), rowAddress(RAX, 4+i), ymm[i], ymm[i])
	})
}

func transpose128() {
	TEXT("transposeAVX", NOSPLIT, transposeSignature)
	transposeDoc("transposeAVX", "4")
	transpose(1, xmm, func(i int) { VMOVUPS(rowAddress(RAX, i), xmm[i]) })
}

const copySignature = "func(dst *float32, dstRow int, src *float32, srcRow, rows, columns int)"

// copyArguments leaves the columns in CX.
func copyArguments() {
	Load(Param("dst"), R10)
	Load(Param("dstRow"), R11)
	SHLQ(Imm(2), R11)
	Load(Param("src"), RAX)
	Load(Param("srcRow"), RBX)
	SHLQ(Imm(2), RBX)
	Load(Param("rows"), R12)
	Load(Param("columns"), RCX)
}

func copyLoop(row func()) {
	TESTQ(R12, R12)
	JLE(LabelRef("done"))
	Label("row")
	row()
	ADDQ(RBX, RAX)
	ADDQ(R11, R10)
	DECQ(R12)
	JNE(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	RET()
}

// masks512 sets the masks for the columns in CX.
func masks512() {
	Comment("K1 and K2 mask columns 0-15 and 16-31")
	MOVQ(U32(1), R9)
	SHLQ(CL, R9)
	DECQ(R9)
	KMOVW(R9.As32(), K1)
	SHRQ(Imm(16), R9)
	KMOVW(R9.As32(), K2)
}

func copy512() {
	TEXT("copyAVX512", NOSPLIT, copySignature)
	Doc("copyAVX512 copies rows of up to 32 columns.")
	Pragma("noescape")
	copyArguments()
	masks512()
	copyLoop(func() {
		VMOVUPS_Z(Mem{Base: RAX}, K1, Z0)
		VMOVUPS_Z(Mem{Base: RAX, Disp: 64}, K2, Z1)
		VMOVUPS(Z0, K1, Mem{Base: R10})
		VMOVUPS(Z1, K2, Mem{Base: R10, Disp: 64})
	})
}

func copy256() {
	TEXT("copyAVX2", NOSPLIT, copySignature)
	Doc("copyAVX2 copies rows of 16 columns.")
	Pragma("noescape")
	copyArguments()
	copyLoop(func() {
		for v := range 2 {
			VMOVUPS(Mem{Base: RAX, Disp: 32 * v}, ymm[v])
		}
		for v := range 2 {
			VMOVUPS(ymm[v], Mem{Base: R10, Disp: 32 * v})
		}
	})
}
