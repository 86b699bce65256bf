// Command asm writes the amd64 assembly of metrics/kernel and the declarations of its
// functions.
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
	"elements_avx512": func() { writeElements(newMachine("AVX512", 16)) },
	"elements_avx2":   func() { writeElements(newMachine("AVX2", 8)) },
	"rows_avx512":     func() { writeRows(newMachine("AVX512", 16)) },
	"rows_avx2":       func() { writeRows(newMachine("AVX2", 8)) },
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
