package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// loop is a kernel that walks over slices of one length, a register at a time; what is
// left, fewer elements than a register has, is masked.
type loop struct {
	name    string
	slices  []string // arguments, the first is as long as all
	spread  []string // of those, they may have one element that stands for all
	numbers []string // float32 arguments
	results string   // in Go: "float32"
	doc     string
}

// walk are the registers of a loop.
type walk struct {
	left     Register            // elements
	pointers []Register          // of the slices
	steps    []Op                // of the slices, in bytes
	numbers  map[string]Register // in every element
}

// begin declares the function and loads its arguments.
func (m *machine) begin(l loop) *walk {
	signature := fmt.Sprintf("func(%s []float32", strings.Join(l.slices, ", "))
	if len(l.numbers) > 0 {
		signature += ", " + strings.Join(l.numbers, ", ") + " float32"
	}
	TEXT(l.name+m.set, NOSPLIT, strings.TrimSpace(signature+") "+l.results))
	Doc(l.name + m.set + " is " + l.doc + ".")
	Pragma("noescape")
	w := &walk{left: Load(Param(l.slices[0]).Len(), GP64()), numbers: map[string]Register{}}
	for _, name := range l.slices {
		pointer := Load(Param(name).Base(), GP64())
		w.pointers = append(w.pointers, pointer)
		var step Op = U32(m.bytes())
		for _, s := range l.spread {
			if s == name {
				step = m.spread(name, pointer)
			}
		}
		w.steps = append(w.steps, step)
	}
	for _, name := range l.numbers {
		r := m.register()
		address, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSS(address.Addr, r)
		w.numbers[name] = r
	}
	return w
}

// spread writes an argument of one element to a register's worth of the stack, which
// takes its place and is not left: the step is 0.
func (m *machine) spread(name string, pointer Register) Register {
	step, one := GP64(), m.register()
	copies := AllocLocal(m.bytes())
	MOVQ(U32(m.bytes()), step)
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

// at are the addresses of the slices, i registers on.
func (w *walk) at(m *machine, i int) []Mem {
	all := make([]Mem, len(w.pointers))
	for j, p := range w.pointers {
		all[j] = Mem{Base: p, Disp: i * m.bytes()}
	}
	return all
}

// rounds writes a loop over n registers of the slices at a time.
func (m *machine) rounds(w *walk, label string, n int, body func(i int, at []Mem)) {
	Label(label)
	CMPQ(w.left, U32(n*m.lanes))
	JL(LabelRef(label + "_done"))
	for i := range n {
		body(i, w.at(m, i))
	}
	for i, p := range w.pointers {
		step := w.steps[i]
		if s, ok := step.(U32); ok {
			step = U32(n) * s
		}
		ADDQ(step, p)
	}
	SUBQ(U32(n*m.lanes), w.left)
	JMP(LabelRef(label))
	Label(label + "_done")
}

// masked writes the tail.
func (m *machine) masked(w *walk, body func(i int, at []Mem)) {
	TESTQ(w.left, w.left)
	JZ(LabelRef("end"))
	m.tail(w.left)
	body(0, w.at(m, 0))
	m.mask = nil
	Label("end")
}

// elements writes a function of elements: f of the slices after the first, to the first.
func (m *machine) elements(l loop, f func(w *walk, in []Register) Register) {
	w := m.begin(l)
	body := func(_ int, at []Mem) {
		var in []Register
		for _, a := range at[1:] {
			in = append(in, m.read(a))
		}
		m.write(f(w, in), at[0])
	}
	m.rounds(w, "whole", 1, body)
	m.masked(w, body)
	VZEROUPPER()
	RET()
}

// sums writes a function of sums over elements: add adds to the count registers of
// totals. Four sets of them take registers in turn, since an addition waits for the one
// before; what is left goes to the first. They are added in pairs.
func (m *machine) sums(l loop, count int, add func(w *walk, at []Mem, totals []Register)) {
	w := m.begin(l)
	totals := make([][]Register, 4)
	for i := range totals {
		for range count {
			zero := m.register()
			m.clear(zero)
			totals[i] = append(totals[i], zero)
		}
	}
	body := func(i int, at []Mem) { add(w, at, totals[i]) }
	if len(l.spread) == 0 { // else steps may be 0
		m.rounds(w, "four", 4, body)
	}
	m.rounds(w, "whole", 1, body)
	m.masked(w, body)
	for half := 2; half > 0; half /= 2 {
		for i := range half {
			for j := range count {
				VADDPS(totals[i+half][j], totals[i][j], totals[i][j])
			}
		}
	}
	results := make([]Register, count)
	for j := range count {
		results[j] = m.across(totals[0][j], func(a, b, dst Op) { VADDPS(a, b, dst) })
	}
	VZEROUPPER()
	for j, r := range results {
		Store(r, ReturnIndex(j))
	}
	RET()
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
