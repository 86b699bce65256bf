package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// walk is a loop that is being written: its registers, and how elements are read and written,
// in full registers and in the tail.
type walk struct {
	m        *machine
	left     Register            // elements left
	pointers []Register          // positions in the slices
	steps    []Op                // step of each slice, in bytes
	numbers  map[string]Register // the number in every element
	mask     Register            // mask of the tail while it is written, else nil
}

// spread writes an argument of one element to a register's worth of stack, which replaces the
// argument; its step is 0.
func (w *walk) spread(name string, pointer Register) Register {
	step, one := GP64(), w.m.register()
	copies := AllocLocal(w.m.bytes())
	MOVQ(U32(w.m.bytes()), step)
	length := Load(Param(name).Len(), GP64())
	CMPQ(length, Imm(1))
	JNE(LabelRef(name + "_many"))
	VBROADCASTSS(Mem{Base: pointer}, one)
	VMOVUPS(one, copies)
	LEAQ(copies, pointer)
	XORQ(step, step)
	Label(name + "_many")
	return step
}

// at returns the addresses of the slices, i registers on.
func (w *walk) at(i int) []Mem {
	all := make([]Mem, len(w.pointers))
	for j, p := range w.pointers {
		all[j] = Mem{Base: p, Disp: i * w.m.bytes()}
	}
	return all
}

// rounds writes a loop over n registers of the slices at a time.
func (w *walk) rounds(label string, n int, body func(i int, at []Mem)) {
	Label(label)
	CMPQ(w.left, U32(n*w.m.lanes))
	JL(LabelRef(label + "_done"))
	for i := range n {
		body(i, w.at(i))
	}
	for i, p := range w.pointers {
		step := w.steps[i]
		if s, ok := step.(U32); ok {
			step = U32(n) * s
		}
		ADDQ(step, p)
	}
	SUBQ(U32(n*w.m.lanes), w.left)
	JMP(LabelRef(label))
	Label(label + "_done")
}

// masked writes the tail.
func (w *walk) masked(body func(i int, at []Mem)) {
	TESTQ(w.left, w.left)
	JZ(LabelRef("end"))
	w.tail()
	body(0, w.at(0))
	w.mask = nil
	Label("end")
}

// kept returns b with zeros beyond the tail.
func (w *walk) kept(b Register) VecVirtual {
	switch {
	case w.mask == nil:
		return b.(VecVirtual)
	case w.m.wide():
		dst := w.m.register()
		VMOVAPS_Z(b, w.mask, dst)
		return dst
	}
	return w.m.and(b, w.mask)
}

// read loads elements, with zeros beyond the tail.
func (w *walk) read(from Mem) VecVirtual {
	dst := w.m.register()
	switch {
	case w.mask == nil:
		VMOVUPS(from, dst)
	case w.m.wide():
		VMOVUPS_Z(from, w.mask, dst)
	default:
		VMASKMOVPS(from, w.mask, dst)
	}
	return dst
}

// write stores elements, none beyond the tail.
func (w *walk) write(b Register, to Mem) {
	switch {
	case w.mask == nil:
		VMOVUPS(b, to)
	case w.m.wide():
		VMOVUPS(b, w.mask, to)
	default:
		VMASKMOVPS(b, w.mask, to)
	}
}

// tail sets the mask to the remaining elements, fewer than a register has.
func (w *walk) tail() {
	if w.m.wide() {
		ones, k := GP64(), K()
		MOVQ(I64(-1), ones)
		BZHIQ(w.left, ones, ones)
		KMOVW(ones.As32(), k)
		w.mask = k
		return
	}
	table, left, mask := GP64(), GP64(), YMM()
	LEAQ(w.m.signs(), table)
	MOVQ(w.left, left)
	NEGQ(left)
	VMOVUPS(Mem{Base: table, Index: left, Scale: 4, Disp: 32}, mask)
	w.mask = mask
}

// orBottom returns x with the elements of bottom beyond the tail.
func (w *walk) orBottom(x, bottom Register) VecVirtual {
	if w.m.wide() {
		dst := w.m.copyOf(bottom)
		VMOVAPS(x, w.mask, dst)
		return dst
	}
	dst := w.m.register()
	VBLENDVPS(w.mask, x, bottom, dst)
	return dst
}
