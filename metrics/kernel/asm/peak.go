package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The peak of a processor is the rate of multiply-adds in registers alone, with enough of
// them that none waits for another. Benchmarks report products as a share of it.
func peak(name string, v []VecPhysical, sums int, clear func(VecPhysical)) {
	peakOf(name, v, sums, clear, func(b, a, sum VecPhysical) { VFMADD231PS(b, a, sum) })
}

func peakOf(name string, v []VecPhysical, sums int, clear func(VecPhysical), multiply func(b, a, sum VecPhysical)) {
	TEXT(name, NOSPLIT, "func(rounds int)")
	Doc(fmt.Sprintf("%s computes %d multiply-adds of full registers in each round.", name, sums))
	Load(Param("rounds"), RCX)
	for i := range sums + 1 {
		clear(v[i])
	}
	Label("round")
	for i := range sums {
		multiply(v[sums], v[sums], v[i])
	}
	DECQ(RCX)
	JGT(LabelRef("round"))
	VZEROUPPER()
	RET()
}

func peak512() { peak("peakAVX512", zmm, 24, func(v VecPhysical) { VPXORD(v, v, v) }) }
func peak256() { peak("peakAVX2", ymm, 12, func(v VecPhysical) { VXORPS(v, v, v) }) }
