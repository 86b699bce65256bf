package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// place lists the numbers of a row's mean and scale.
var place = []string{"near", "left", "scale"}

// normalized returns ((a - near) - left)·scale.
func (w *walk) normalized(a Register) VecVirtual {
	m, n := w.m, w.numbers
	return m.multiply(m.subtract(m.subtract(a, n["near"]), n["left"]), n["scale"])
}

// writeRows writes the functions that work on rows.
func writeRows(m *machine) {
	loop{name: "sum", slices: []string{"a"}, results: "float32", doc: "the sum of a"}.sums(m, 1,
		func(w *walk, at []Mem, totals []Register) { VADDPS(w.read(at[0]), totals[0], totals[0]) })
	loop{name: "moments", slices: []string{"a"}, numbers: place[:1], results: "(sum, squares float32)", doc: "Σ (a - near) and Σ (a - near)²"}.sums(m, 2,
		func(w *walk, at []Mem, totals []Register) {
			d := w.kept(m.subtract(w.read(at[0]), w.numbers["near"]))
			VADDPS(d, totals[0], totals[0])
			m.accumulate(totals[1], d, d)
		})
	loop{name: "expSum", slices: []string{"dst", "a"}, numbers: []string{"top"}, results: "float32", doc: "the sum of dst = e^(a - top)"}.sums(m, 1,
		func(w *walk, at []Mem, totals []Register) {
			e := mathematics{m}.exp(m.subtract(w.read(at[1]), w.numbers["top"]))
			w.write(e, at[0])
			VADDPS(w.kept(e), totals[0], totals[0])
		})
	loop{name: "slopes", slices: []string{"a", "v", "gain"}, spread: []string{"gain"}, numbers: place, results: "(sum, along float32)",
		doc: "Σ u and Σ u·n with u = v·gain and n = ((a - near) - left)·scale"}.sums(m, 2,
		func(w *walk, at []Mem, totals []Register) {
			u := m.multiply(w.read(at[1]), w.read(at[2]))
			VADDPS(u, totals[0], totals[0])
			m.accumulate(totals[1], u, w.kept(w.normalized(w.read(at[0]))))
		})
	writeNormal(m)
	writeLargest(m)
}

// writeNormal writes the elementwise functions on normalised rows.
func writeNormal(m *machine) {
	loop{name: "centredProduct", slices: []string{"dst", "y", "v"}, numbers: []string{"mean"}, doc: "dst = y·(v - mean)"}.elements(m,
		func(w *walk, in []Register) Register {
			return m.multiply(in[0], m.subtract(in[1], w.numbers["mean"]))
		})
	loop{name: "normalize", slices: []string{"dst", "a", "gain", "offset"}, spread: []string{"gain", "offset"}, numbers: place,
		doc: "dst = n·gain + offset with n = ((a - near) - left)·scale"}.elements(m,
		func(w *walk, in []Register) Register {
			n := w.normalized(in[0])
			m.horner(n, in[1], in[2])
			return n
		})
	loop{name: "addNormalized", slices: []string{"dst", "sum", "a", "v"}, numbers: place,
		doc: "dst = sum + v·n with n = ((a - near) - left)·scale"}.elements(m,
		func(w *walk, in []Register) Register {
			m.accumulate(in[0], in[2], w.normalized(in[1]))
			return in[0]
		})
	loop{name: "normalizeGradient", slices: []string{"dst", "a", "v", "gain"}, spread: []string{"gain"}, numbers: append(place[:3:3], "mean", "along"),
		doc: "dst = scale·(v·gain - mean - n·along) with n = ((a - near) - left)·scale"}.elements(m,
		func(w *walk, in []Register) Register {
			u := m.subtract(m.multiply(in[1], in[2]), w.numbers["mean"])
			m.lessen(u, w.normalized(in[0]), w.numbers["along"])
			return m.multiply(u, w.numbers["scale"])
		})
}

// writeLargest writes the largest element of a. Its instruction drops NaN, so the function
// also keeps the largest of the bits of |a| as integers: NaN is above infinity there.
func writeLargest(m *machine) {
	w := loop{name: "largest", slices: []string{"a"}, results: "float32", doc: "the largest of a, NaN where one is NaN, -Inf of none"}.begin(m)
	const infinity = 0x7f800000
	bottom, bits := m.load(m.bits(1<<31|infinity)), m.register()
	top := m.copyOf(bottom)
	m.clear(bits)
	body := func(_ int, at []Mem) {
		x := w.read(at[0])
		VPMAXUD(m.absolute(x), bits, bits)
		if w.mask != nil {
			x = w.orBottom(x, bottom)
		}
		VMAXPS(top, x, top)
	}
	w.rounds("whole", 1, body)
	w.masked(body)
	result := m.across(top, func(a, b, dst Op) { VMAXPS(a, b, dst) })
	most := m.across(bits, func(a, b, dst Op) { VPMAXUD(a, b, dst) })
	found := GP32()
	VMOVD(most, found)
	VZEROUPPER()
	CMPL(found, U32(infinity))
	JLE(LabelRef("number"))
	VMOVD(found, result)
	Label("number")
	Store(result, ReturnIndex(0))
	RET()
}
