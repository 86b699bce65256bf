package main

import (
	"encoding/binary"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A product of bfloat16 numbers is one chain of fused multiply-adds of float32 for each element
// of C, in k's order, in which denormal numbers count as zero. There are two tiles for it, with
// the same results:
//
//   - tilePairsAVX512 uses VDPBF16PS. A step is a pair of steps of k: an element of 32 bits has
//     the number of the first step in its upper half and that of the second in its lower half.
//     The instruction adds the product of the upper halves, then that of the lower ones.
//   - tileFlushedAVX512 is the tile of float32, for numbers that were rounded to bfloat16.
//
// Go's assembler does not know the instructions of AVX512_BF16, so the generator encodes them.

// evex writes an instruction of three full registers, with opcode map 0F38 and W = 0; prefix is
// 2 for F3 and 3 for F2. In the order of Intel's manuals dst is first and c last.
func evex(prefix, opcode byte, dst, b, c VecPhysical) {
	d, v, r := byte(dst.PhysicalIndex()), byte(b.PhysicalIndex()), byte(c.PhysicalIndex())
	inverted := func(register byte, bit, place int) byte { return ^(register >> bit) & 1 << place }
	word := func(opcode string, value Op) { Instruction(&ir.Instruction{Opcode: opcode, Operands: []Op{value}}) }
	word("LONG", U32(binary.LittleEndian.Uint32([]byte{
		0x62,
		inverted(d, 3, 7) | inverted(r, 4, 6) | inverted(r, 3, 5) | inverted(d, 4, 4) | 2,
		^v&15<<3 | 1<<2 | prefix,
		2<<5 | inverted(v, 4, 3),
	})))
	word("WORD", U16(uint16(opcode)|uint16(3<<6|d&7<<3|r&7)<<8))
}

// dotPairs writes VDPBF16PS, sum += b·a for pairs.
func dotPairs(b, a, sum VecPhysical) { evex(2, 0x52, sum, b, a) }

// roundTwo writes VCVTNE2PS2BF16, which rounds 32 numbers to bfloat16: those of low come first.
func roundTwo(high, low, dst VecPhysical) { evex(3, 0x72, dst, high, low) }

func tilePairs512() {
	TEXT("tilePairsAVX512", NOSPLIT, tileSignature)
	Doc("tilePairsAVX512 " + tileDoc + " Elements of A and B are pairs of bfloat16 numbers, denormal numbers count as zero.")
	tileBodies512(dotPairs)
}

// flushing is the control register with rounding to nearest, all exceptions masked, and
// denormal inputs and results as zero.
const flushing = 0x1f80 | 1<<15 | 1<<6

func tileFlushed512() {
	control := GLOBL("flushing", RODATA|NOPTR)
	DATA(0, U32(flushing))
	TEXT("tileFlushedAVX512", NOSPLIT, tileSignature)
	Doc("tileFlushedAVX512 is tileAVX512 with denormal numbers as zero.")
	Pragma("noescape")
	arguments, saved := AllocLocal(88), AllocLocal(8)
	for i, name := range []string{"rows", "columns", "k", "a", "aRow", "aColumn", "b", "bRow", "c", "cRow"} {
		Load(Param(name), RAX)
		MOVQ(RAX, arguments.Offset(8*i))
	}
	Load(Param("accumulate"), RAX.As8L())
	MOVB(RAX.As8L(), arguments.Offset(80))
	STMXCSR(saved)
	LDMXCSR(control)
	Instruction(&ir.Instruction{Opcode: "CALL", Operands: []Op{LabelRef("·tileAVX512(SB)")}})
	LDMXCSR(saved)
	RET()
}

// roundings512 writes the functions that round rows of up to 32 columns to bfloat16.
func roundings512() {
	const doc = " rounds rows of up to 32 columns to bfloat16, denormal numbers to zero"
	// Two registers of 16 numbers are rounded into one, and K1 and K2 mask the numbers of each.
	write := func(name, more string, begin, row func()) {
		TEXT(name, NOSPLIT, copySignature)
		Doc(name + doc + more)
		Pragma("noescape")
		copyArguments()
		begin()
		masks512()
		copyLoop(row)
	}
	load := func(from Mem) {
		VMOVUPS_Z(from, K1, Z0)
		VMOVUPS_Z(from.Offset(64), K2, Z1)
	}
	write("roundAVX512", ".", func() {}, func() {
		load(Mem{Base: RAX})
		roundTwo(Z1, Z0, Z2)
		VPMOVZXWD(Y2, Z0)
		VEXTRACTI64X4(Imm(1), Z2, Y2)
		VPMOVZXWD(Y2, Z1)
		VPSLLD(Imm(16), Z0, Z0)
		VPSLLD(Imm(16), Z1, Z1)
		VMOVUPS(Z0, K1, Mem{Base: R10})
		VMOVUPS(Z1, K2, Mem{Base: R10, Disp: 64})
	})
	write("pairsAVX512", ", and joins neighbours to pairs; an odd last one is joined with zero.", func() {
		Comment("K3 masks the pairs")
		MOVQ(RCX, R8)
		INCQ(RCX)
		SHRQ(Imm(1), RCX)
		MOVQ(U32(1), R9)
		SHLQ(CL, R9)
		DECQ(R9)
		KMOVW(R9.As32(), K3)
		MOVQ(R8, RCX)
	}, func() {
		load(Mem{Base: RAX})
		roundTwo(Z1, Z0, Z2)
		VPROLD(Imm(16), Z2, Z2)
		VMOVDQU32(Z2, K3, Mem{Base: R10})
	})
	// Words 2i and 2i+1 of a result are words i of the second row and i of the first.
	order := GLOBL("interleaved", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i|(16+i)<<16))
	}
	write("interleaveAVX512", ", and joins pairs of rows: rows is the number of rows in dst.", func() { VMOVDQU32(order, Z7) }, func() {
		load(Mem{Base: RAX})
		ADDQ(RBX, RAX)
		VMOVUPS_Z(Mem{Base: RAX}, K1, Z2)
		VMOVUPS_Z(Mem{Base: RAX, Disp: 64}, K2, Z3)
		roundTwo(Z0, Z2, Z4)
		roundTwo(Z1, Z3, Z5)
		VPERMW(Z4, Z7, Z4)
		VPERMW(Z5, Z7, Z5)
		VMOVDQU32(Z4, K1, Mem{Base: R10})
		VMOVDQU32(Z5, K2, Mem{Base: R10, Disp: 64})
	})
}

func peakPairs512() {
	peakOf("peakPairsAVX512", zmm, 24, func(v VecPhysical) { VPXORD(v, v, v) }, dotPairs)
}
