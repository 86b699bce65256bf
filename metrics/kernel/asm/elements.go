package main

import (
	. "github.com/mmcloughlin/avo/reg"
)

// writeElements writes the elementwise functions.
func writeElements(m *machine) {
	f := mathematics{m}
	pairs := []struct {
		name, doc string
		f         func(a, b Register) VecVirtual
	}{
		{"add", "dst = a + b", func(a, b Register) VecVirtual { return m.add(a, b) }},
		{"subtract", "dst = a - b", func(a, b Register) VecVirtual { return m.subtract(a, b) }},
		{"multiply", "dst = a·b", func(a, b Register) VecVirtual { return m.multiply(a, b) }},
		{"divide", "dst = a/b", func(a, b Register) VecVirtual { return m.divide(a, b) }},
		{"maximum", "dst = the larger of a and b", f.larger},
		{"minimum", "dst = the smaller of a and b", f.smaller},
		{"geluGradient", "dst = b·GELU'(a)", f.geluGradient},
	}
	for _, p := range pairs {
		l := loop{name: p.name, slices: []string{"dst", "a", "b"}, spread: []string{"a", "b"}, doc: p.doc}
		l.elements(m, func(_ *walk, in []Register) Register { return p.f(in[0], in[1]) })
	}
	one := m.number(1)
	singles := []struct {
		name, doc string
		f         func(a Register) VecVirtual
	}{
		{"sqrt", "dst = √a", m.sqrt},
		{"reciprocal", "dst = 1/a", func(a Register) VecVirtual { return m.divide(m.load(one), a) }},
		{"rsqrt", "dst = 1/√a", func(a Register) VecVirtual { return m.divide(m.load(one), m.sqrt(a)) }},
		{"sign", "dst = a's sign", f.signOf},
		{"negate", "dst = -a", func(a Register) VecVirtual { return m.xor(a, m.bits(1<<31)) }},
		{"absolute", "dst = |a|", m.absolute},
		{"exp", "dst = e^a", f.exp},
		{"erf", "dst = erf(a)", f.erf},
		{"tanh", "dst = tanh(a)", f.tanh},
		{"logistic", "dst = 1/(1 + e^-a)", f.logistic},
		{"gelu", "dst = GELU(a)", f.gelu},
	}
	for _, s := range singles {
		loop{name: s.name, slices: []string{"dst", "a"}, doc: s.doc}.elements(m,
			func(_ *walk, in []Register) Register { return s.f(in[0]) })
	}
	loop{name: "multiplyAdd", slices: []string{"dst", "a", "b", "c"}, spread: []string{"a", "b", "c"}, doc: "dst = a·b + c"}.elements(m,
		func(_ *walk, in []Register) Register { m.horner(in[0], in[1], in[2]); return in[0] })
	loop{name: "scale", slices: []string{"dst", "a"}, numbers: []string{"factor", "offset"}, doc: "dst = factor·a + offset"}.elements(m,
		func(w *walk, in []Register) Register {
			m.horner(in[0], w.numbers["factor"], w.numbers["offset"])
			return in[0]
		})
}
