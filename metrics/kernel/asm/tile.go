package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A tile is the innermost product: rows × columns of C stay in registers while k runs over
// one block, and each of them is one chain of fused multiply-adds in k's order. A step of k
// loads a row of B (one or two registers), broadcasts one element of A for each row, and
// multiplies.
//
// # Registers
//
//	           AVX-512, 12 × 32   AVX2, 6 × 16
//	B's row    Z0, Z1             Y0, Y1
//	broadcasts Z2 - Z7 in turn    Y2 (Y3 holds the mask)
//	sums       Z8 - Z31           Y4 - Y15    (row r: the first is 8+2r or 4+2r)
//
// The 24 (12) sums cover the four cycles of a multiply-add on two ports three (1.5) times.
// More rows leave no register to load ahead; fewer need more loads per sum.
//
//	AX  A, moves by a column each step    BX CX DX SI DI R8  1, 3, 5, 7, 9, 11 rows of A
//	R9  a column of A                     R10 B, R11 a row of B
//	R12 steps left                        R13 C, R15 a row of C
//
// The odd multiples of a row reach twelve rows from one pointer: x86 scales an index by 1, 2,
// 4 or 8.
//
// Each number of rows has its own body, with one or two registers of columns. The last
// register is masked, so that a tail costs no more than its size.
const tileDoc = `computes rows × columns of C = A·B, or C += A·B with accumulate, over k steps. Strides are in elements.`

const tileSignature = "func(rows, columns, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)"

// odd are the registers with 1, 3, 5, ... rows of A.
var odd = []GPPhysical{RBX, RCX, RDX, RSI, RDI, R8}

// rowAddress returns the address of row r, at most 12, of a matrix at base.
func rowAddress(base GPPhysical, r int) Mem {
	m := Mem{Base: base}
	if r == 0 {
		return m
	}
	scale := 1
	for ; r%2 == 0; r /= 2 {
		scale *= 2
	}
	m.Index, m.Scale = odd[r/2], uint8(scale)
	return m
}

// oddRows sets the first n of odd from a row's length in bytes in BX.
func oddRows(n int) {
	if n > 1 {
		LEAQ(Mem{Base: RBX, Index: RBX, Scale: 2}, RCX)
	}
	for i := 2; i < n; i++ {
		LEAQ(Mem{Base: odd[i-1], Index: RBX, Scale: 2}, odd[i])
	}
}

func tileArguments() {
	Load(Param("a"), RAX)
	Load(Param("aRow"), RBX)
	SHLQ(Imm(2), RBX)
	oddRows(len(odd))
	Load(Param("aColumn"), R9)
	SHLQ(Imm(2), R9)
	Load(Param("b"), R10)
	Load(Param("bRow"), R11)
	SHLQ(Imm(2), R11)
	Load(Param("k"), R12)
	Load(Param("c"), R13)
	Load(Param("cRow"), R15)
	SHLQ(Imm(2), R15)
}

// bodies writes a body for each number of rows, and the jumps to them, the most frequent
// first.
func bodies(rows int, kind string, body func(name string, rows int)) {
	name := func(r int) string { return fmt.Sprintf("%s_%d", kind, r) }
	for r := rows; r > 1; r-- {
		CMPQ(R12, Imm(uint64(r)))
		JEQ(LabelRef(name(r)))
	}
	for r := 1; r <= rows; r++ {
		Label(name(r))
		Load(Param("k"), R12)
		body(name(r), r)
	}
}

func sum512(row, vector int) VecPhysical { return zmm[8+2*row+vector] }

func tile512() {
	TEXT("tileAVX512", NOSPLIT, tileSignature)
	Doc("tileAVX512 " + tileDoc)
	tileBodies512(func(b, a, sum VecPhysical) { VFMADD231PS(b, a, sum) })
}

// tileBodies512 writes a tile; multiply adds to sum the products of a register of B and one of
// A.
func tileBodies512(multiply func(b, a, sum VecPhysical)) {
	Pragma("noescape")
	Comment("K1 masks the columns of the last register")
	Load(Param("columns"), RCX)
	MOVQ(RCX, R8)
	DECQ(RCX)
	ANDQ(Imm(15), RCX)
	INCQ(RCX)
	MOVQ(U32(1), R9)
	SHLQ(CL, R9)
	DECQ(R9)
	KMOVW(R9.As32(), K1)
	CMPQ(R8, Imm(16))
	JGT(LabelRef("wide"))
	for vectors := 1; vectors <= 2; vectors++ {
		kind := [...]string{1: "narrow", 2: "wide"}[vectors]
		Label(kind)
		tileArguments()
		Load(Param("rows"), R12)
		bodies(12, kind, func(name string, rows int) { body512(name, rows, vectors, multiply) })
	}
}

// body512 writes the body for one number of rows and vectors.
func body512(name string, rows, vectors int, multiply func(b, a, sum VecPhysical)) {
	load := func(m Mem, vector int, to Op) {
		m = m.Offset(64 * vector)
		if vector < vectors-1 {
			VMOVUPS(m, to)
		} else {
			VMOVUPS_Z(m, K1, to)
		}
	}
	each := func(do func(row, vector int)) {
		for r := range rows {
			for v := range vectors {
				do(r, v)
			}
		}
	}
	// Sums begin with C or with zero.
	Load(Param("accumulate"), RAX.As8L())
	TESTB(RAX.As8L(), RAX.As8L())
	Load(Param("a"), RAX)
	JEQ(LabelRef(name + "_zero"))
	MOVQ(R13, R8)
	for r := range rows {
		for v := range vectors {
			load(Mem{Base: R8}, v, sum512(r, v))
		}
		ADDQ(R15, R8)
	}
	LEAQ(Mem{Base: RDI, Index: RBX, Scale: 2}, R8)
	JMP(LabelRef(name + "_start"))
	Label(name + "_zero")
	each(func(r, v int) { VPXORD(sum512(r, v), sum512(r, v), sum512(r, v)) })
	Label(name + "_start")
	TESTQ(R12, R12)
	JLE(LabelRef(name + "_store"))
	Label(name + "_step")
	for v := range vectors {
		load(Mem{Base: R10}, v, zmm[v])
	}
	for r := range rows {
		spread := zmm[2+r%6]
		VBROADCASTSS(rowAddress(RAX, r), spread)
		for v := range vectors {
			multiply(zmm[v], spread, sum512(r, v))
		}
	}
	ADDQ(R9, RAX)
	ADDQ(R11, R10)
	DECQ(R12)
	JNE(LabelRef(name + "_step"))
	Label(name + "_store")
	for r := range rows {
		for v := range vectors {
			at := Mem{Base: R13}.Offset(64 * v)
			if v < vectors-1 {
				VMOVUPS(sum512(r, v), at)
			} else {
				VMOVUPS(sum512(r, v), K1, at)
			}
		}
		if r < rows-1 {
			ADDQ(R15, R13)
		}
	}
	VZEROUPPER()
	RET()
}

func sum256(row, vector int) VecPhysical { return ymm[4+2*row+vector] }

func tile256() {
	signs256()
	TEXT("tileAVX2", NOSPLIT, tileSignature)
	Doc("tileAVX2 " + tileDoc)
	Pragma("noescape")
	Comment("Y3 masks the columns of the last register")
	Load(Param("columns"), R8)
	MOVQ(R8, RCX)
	DECQ(RCX)
	ANDQ(Imm(7), RCX)
	INCQ(RCX)
	maskOf(RCX, ymm[3])
	CMPQ(R8, Imm(16))
	JEQ(LabelRef("full"))
	CMPQ(R8, Imm(8))
	JGT(LabelRef("wide"))
	for _, kind := range []string{"narrow", "wide", "full"} {
		vectors := 2
		if kind == "narrow" {
			vectors = 1
		}
		Label(kind)
		tileArguments()
		Load(Param("rows"), R12)
		bodies(6, kind, func(name string, rows int) { body256(name, rows, vectors, kind != "full") })
	}
}

// body256 writes the body for one number of rows and vectors. The last vector is masked if
// columns are missing: a masked store is slow on AMD's processors.
func body256(name string, rows, vectors int, masked bool) {
	last := func(v int) bool { return masked && v == vectors-1 }
	load := func(m Mem, vector int, to Op) {
		m = m.Offset(32 * vector)
		if last(vector) {
			VMASKMOVPS(m, ymm[3], to)
		} else {
			VMOVUPS(m, to)
		}
	}
	Load(Param("accumulate"), RAX.As8L())
	TESTB(RAX.As8L(), RAX.As8L())
	Load(Param("a"), RAX)
	JEQ(LabelRef(name + "_zero"))
	MOVQ(R13, R8)
	for r := range rows {
		for v := range vectors {
			load(Mem{Base: R8}, v, sum256(r, v))
		}
		ADDQ(R15, R8)
	}
	JMP(LabelRef(name + "_start"))
	Label(name + "_zero")
	for r := range rows {
		for v := range vectors {
			VXORPS(sum256(r, v), sum256(r, v), sum256(r, v))
		}
	}
	Label(name + "_start")
	TESTQ(R12, R12)
	JLE(LabelRef(name + "_store"))
	Label(name + "_step")
	for v := range vectors {
		load(Mem{Base: R10}, v, ymm[v])
	}
	for r := range rows {
		VBROADCASTSS(rowAddress(RAX, r), ymm[2])
		for v := range vectors {
			VFMADD231PS(ymm[v], ymm[2], sum256(r, v))
		}
	}
	ADDQ(R9, RAX)
	ADDQ(R11, R10)
	DECQ(R12)
	JNE(LabelRef(name + "_step"))
	Label(name + "_store")
	for r := range rows {
		for v := range vectors {
			at := Mem{Base: R13}.Offset(32 * v)
			if last(v) {
				VMASKMOVPS(sum256(r, v), ymm[3], at)
			} else {
				VMOVUPS(sum256(r, v), at)
			}
		}
		if r < rows-1 {
			ADDQ(R15, R13)
		}
	}
	VZEROUPPER()
	RET()
}
