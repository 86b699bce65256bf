package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// machine has registers of 16 elements (AVX-512) or of 8 (AVX2); a kernel has one definition
// for both. Its methods emit an instruction and return the register of the result, which avo
// allocates; the last source may be a constant. Both machines do the same operations in the
// same order, so that elementwise results have the same bits.
type machine struct {
	set       string // "AVX512" or "AVX2", the suffix of function names
	lanes     int
	constants map[uint32]Mem
}

func newMachine(set string, lanes int) *machine {
	return &machine{set: set, lanes: lanes, constants: map[uint32]Mem{}}
}

func (m *machine) wide() bool { return m.lanes == 16 }

func (m *machine) bytes() int { return 4 * m.lanes }

func (m *machine) register() VecVirtual {
	if m.wide() {
		return ZMM()
	}
	return YMM()
}

// constant is a source with the same value in all elements: AVX-512 broadcasts it from
// memory, AVX2 reads eight copies from there.
type constant struct{ Mem }

// bits returns the constant with this bit pattern.
func (m *machine) bits(b uint32) constant {
	if c, ok := m.constants[b]; ok {
		return constant{c}
	}
	copies := 8
	if m.wide() {
		copies = 1
	}
	c := GLOBL(fmt.Sprintf("c%s_%08x", m.set, b), RODATA|NOPTR)
	for i := range copies {
		DATA(4*i, U32(b))
	}
	m.constants[b] = c
	return constant{c}
}

func (m *machine) number(v float64) constant { return m.bits(math.Float32bits(float32(v))) }

// load returns a register with a constant.
func (m *machine) load(c constant) VecVirtual {
	r := m.register()
	VBROADCASTSS(c.Mem, r)
	return r
}

// instruction is an AVX instruction and its form with a constant in AVX-512.
type instruction struct{ plain, broadcast func(ops ...Op) }

// emit writes the instruction dst = f(..., b, c). In the order of Intel's manuals dst is
// first and c last.
func (m *machine) emit(f instruction, dst, b Register, c Op) {
	k, isConstant := c.(constant)
	switch {
	case isConstant && m.wide():
		f.broadcast(k.Mem, b, dst)
	case isConstant:
		f.plain(k.Mem, b, dst)
	default:
		f.plain(c, b, dst)
	}
}

func (m *machine) binary(f instruction, b Register, c Op) VecVirtual {
	dst := m.register()
	m.emit(f, dst, b, c)
	return dst
}

func (m *machine) add(b Register, c Op) VecVirtual {
	return m.binary(instruction{VADDPS, VADDPS_BCST}, b, c)
}

func (m *machine) subtract(b Register, c Op) VecVirtual {
	return m.binary(instruction{VSUBPS, VSUBPS_BCST}, b, c)
}

func (m *machine) multiply(b Register, c Op) VecVirtual {
	return m.binary(instruction{VMULPS, VMULPS_BCST}, b, c)
}

func (m *machine) divide(b Register, c Op) VecVirtual {
	return m.binary(instruction{VDIVPS, VDIVPS_BCST}, b, c)
}

// maximum and minimum return c if either is NaN, or if both are zeros.
func (m *machine) maximum(b Register, c Op) VecVirtual {
	return m.binary(instruction{VMAXPS, VMAXPS_BCST}, b, c)
}

func (m *machine) minimum(b Register, c Op) VecVirtual {
	return m.binary(instruction{VMINPS, VMINPS_BCST}, b, c)
}

func (m *machine) and(b Register, c Op) VecVirtual {
	return m.binary(instruction{VANDPS, VANDPS_BCST}, b, c)
}

func (m *machine) or(b Register, c Op) VecVirtual {
	return m.binary(instruction{VORPS, VORPS_BCST}, b, c)
}

func (m *machine) xor(b Register, c Op) VecVirtual {
	return m.binary(instruction{VXORPS, VXORPS_BCST}, b, c)
}

// andNot returns c without the bits of b.
func (m *machine) andNot(b Register, c Op) VecVirtual {
	return m.binary(instruction{VANDNPS, VANDNPS_BCST}, b, c)
}

func (m *machine) sqrt(b Register) VecVirtual {
	dst := m.register()
	VSQRTPS(b, dst)
	return dst
}

func (m *machine) copyOf(b Register) VecVirtual {
	dst := m.register()
	VMOVAPS(b, dst)
	return dst
}

// The fused multiply-adds change their first argument.

// horner computes p = p·x + c.
func (m *machine) horner(p, x Register, c Op) {
	m.emit(instruction{VFMADD213PS, VFMADD213PS_BCST}, p, x, c)
}

// accumulate computes p += x·c.
func (m *machine) accumulate(p, x Register, c Op) {
	m.emit(instruction{VFMADD231PS, VFMADD231PS_BCST}, p, x, c)
}

// lessen computes p -= x·c.
func (m *machine) lessen(p, x Register, c Op) {
	m.emit(instruction{VFNMADD231PS, VFNMADD231PS_BCST}, p, x, c)
}

// excess computes p = p·x - c.
func (m *machine) excess(p, x Register, c Op) {
	m.emit(instruction{VFMSUB213PS, VFMSUB213PS_BCST}, p, x, c)
}

// Predicates of compare.
var (
	lessThan  = Imm(0x11)
	unordered = Imm(0x03)
)

// compare sets all bits where the predicate holds for b and c.
func (m *machine) compare(predicate Constant, b, c Register) VecVirtual {
	dst := m.register()
	if !m.wide() {
		VCMPPS(predicate, c, b, dst)
		return dst
	}
	k := K()
	VCMPPS(predicate, c, b, k)
	VPMOVM2D(k, dst)
	return dst
}

// negative sets all bits where b's sign bit is set.
func (m *machine) negative(b Register) VecVirtual {
	dst := m.register()
	VPSRAD(Imm(31), b, dst)
	return dst
}

// absolute returns |b|, sign b's sign bit, signed a with the sign of b.
func (m *machine) absolute(b Register) VecVirtual { return m.and(b, m.bits(0x7fffffff)) }

func (m *machine) sign(b Register) VecVirtual { return m.and(b, m.bits(1<<31)) }

func (m *machine) signed(a, b Register) VecVirtual { return m.or(a, m.sign(b)) }

// choose returns the bits of a where the mask which is set, and those of b elsewhere.
func (m *machine) choose(which, a, b Register) VecVirtual {
	return m.or(m.and(a, which), m.andNot(which, b))
}

func (m *machine) clear(r Register) {
	if m.wide() {
		VPXORD(r, r, r)
		return
	}
	VXORPS(r, r, r)
}

// across joins the elements of a register in halves; the result is the first element.
func (m *machine) across(r Register, join func(a, b, dst Op)) Register {
	y := r.(VecVirtual).AsY()
	if m.wide() {
		upper := YMM()
		VEXTRACTF32X8(Imm(1), r, upper)
		join(upper, y, y)
	}
	x, other := y.(VecVirtual).AsX(), XMM()
	VEXTRACTF128(Imm(1), y, other)
	join(other, x, x)
	VMOVHLPS(x, x, other)
	join(other, x, x)
	VMOVSHDUP(x, other)
	join(other, x, x)
	return x
}

// signs is the table of eight set and eight empty elements; a mask is eight consecutive ones.
func (m *machine) signs() Mem {
	const key = 0x7fc0ffee // not a constant: a NaN
	if t, ok := m.constants[key]; ok {
		return t
	}
	t := GLOBL("tails"+m.set, RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(uint32(i/8)-1))
	}
	m.constants[key] = t
	return t
}
