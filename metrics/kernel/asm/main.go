// Command asm writes the amd64 assembly of metrics/kernel and the declarations of its
// functions: make kernels runs it for every part, and CI compares its output with the
// committed files. It is a module of its own, not part of infbench.
//
// # How to read a part
//
// A part is one file of the package: some functions for one kernel set. Registers of products
// are named, not allocated, so that each function can begin with its plan; functions of
// elements and rows are written once for both sets (machine.go), and avo allocates their
// registers. Strides are given in elements and converted to bytes first. Every function ends
// with VZEROUPPER: if the upper halves of registers stay in use, they slow down the code that
// runs next. Nothing is read or written beyond the elements that a function is given: tails
// are masked, in AVX-512 with K1, in AVX2 with a vector of signs.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	. "github.com/mmcloughlin/avo/build"
)

// parts are the files by name: -part NAME writes ../NAME_amd64.s and .go.
var parts = map[string]func(){
	"product_avx512": func() { tile512(); transpose512(); copy512(); dot512(); peak512() },
	"product_avx2": func() {
		tile256()
		transpose256()
		transpose128()
		copy256()
		dot256()
		peak256()
	},
	"elements_avx512": func() { writeElements(newMachine("AVX512", 16)) },
	"elements_avx2":   func() { writeElements(newMachine("AVX2", 8)) },
	"rows_avx512":     func() { writeRows(newMachine("AVX512", 16)) },
	"rows_avx2":       func() { writeRows(newMachine("AVX2", 8)) },
	"bfloat16_avx512": func() { tilePairs512(); tileFlushed512(); roundings512(); peakPairs512() },
	"widen_avx512":    widen512,
	"widen_avx2":      widen256,
}

func main() {
	part := flag.String("part", "", "the part to write")
	flag.Parse()
	write, ok := parts[*part]
	if !ok {
		fmt.Fprintf(os.Stderr, "no part %q (there are: %q)\n", *part, slices.Sorted(maps.Keys(parts)))
		os.Exit(2)
	}
	ConstraintExpr("amd64")
	write()
	Generate()
}
