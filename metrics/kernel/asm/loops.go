package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// loop is a kernel that walks over slices of one length, a register at a time. The tail,
// which has fewer elements than a register, is masked.
type loop struct {
	name    string
	slices  []string // arguments; all are as long as the first
	spread  []string // the arguments that may have one element, which is then used for all
	numbers []string // float32 arguments
	results string   // in Go: "float32"
	doc     string
}

// begin declares the function for a machine and loads its arguments.
func (l loop) begin(m *machine) *walk {
	signature := fmt.Sprintf("func(%s []float32", strings.Join(l.slices, ", "))
	if len(l.numbers) > 0 {
		signature += ", " + strings.Join(l.numbers, ", ") + " float32"
	}
	TEXT(l.name+m.set, NOSPLIT, strings.TrimSpace(signature+") "+l.results))
	Doc(l.name + m.set + " is " + l.doc + ".")
	Pragma("noescape")
	w := &walk{m: m, left: Load(Param(l.slices[0]).Len(), GP64()), numbers: map[string]Register{}}
	for _, name := range l.slices {
		pointer := Load(Param(name).Base(), GP64())
		w.pointers = append(w.pointers, pointer)
		var step Op = U32(m.bytes())
		for _, s := range l.spread {
			if s == name {
				step = w.spread(name, pointer)
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

// elements writes an elementwise function: it applies f to the slices after the first and
// stores into the first.
func (l loop) elements(m *machine, f func(w *walk, in []Register) Register) {
	w := l.begin(m)
	body := func(_ int, at []Mem) {
		var in []Register
		for _, a := range at[1:] {
			in = append(in, w.read(a))
		}
		w.write(f(w, in), at[0])
	}
	w.rounds("whole", 1, body)
	w.masked(body)
	VZEROUPPER()
	RET()
}

// sums writes a function of sums over elements: add adds to the count registers of totals.
// Four sets of totals take registers in turn, because an addition waits for the one before;
// the tail goes to the first set. Finally the sets are added in pairs.
func (l loop) sums(m *machine, count int, add func(w *walk, at []Mem, totals []Register)) {
	w := l.begin(m)
	totals := make([][]Register, 4)
	for i := range totals {
		for range count {
			zero := m.register()
			m.clear(zero)
			totals[i] = append(totals[i], zero)
		}
	}
	body := func(i int, at []Mem) { add(w, at, totals[i]) }
	if len(l.spread) == 0 { // otherwise steps may be 0
		w.rounds("four", 4, body)
	}
	w.rounds("whole", 1, body)
	w.masked(body)
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
