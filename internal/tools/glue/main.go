// Command glue gives GoMLX's Go backend our kernels. The backend chooses its functions
// from registries that only packages of its own module can reach, so this makes a copy of
// that module, as go.mod pins it, and adds the files below _compute to it, each at the
// same place in the copy. They register functions of higher priority for float32, which
// call metrics/kernel; all else stays as it is upstream.
//
//	bin/glue/compute    the copy with the added files
//	bin/glue/go.mod     our go.mod with a replace of the module by the copy
//	bin/glue/go.sum     our go.sum
//
// go build -modfile=bin/glue/go.mod then builds with kernels. The Makefile runs this and
// exports GOFLAGS, so that everything that make does has them. A plain go build knows
// nothing of it, and computes the same with upstream's own functions, slower and with
// other last bits; infbench version says which.
//
// _compute's files rely on functions and types of upstream's files that relies.sum lists
// with their hashes. Where the module is upgraded and one of those has changed, this
// fails and names it: read what changed, adapt the files below _compute, run the tests
// with make test, and go run ./internal/tools/glue --accept writes the new hashes.
//
// When upstream takes such functions from outside, this folder and the lines of the
// Makefile and of internal/tools/release that name it go.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	accept := flag.Bool("accept", false, "write relies.sum anew from the pinned module")
	flag.Parse()
	path, err := run(*accept)
	if err != nil {
		fmt.Fprintln(os.Stderr, "glue:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

// run makes the copy in the module of the working directory and returns the path for
// -modfile.
func run(accept bool) (string, error) {
	module, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	if accept {
		if err := acceptPinned(module); err != nil {
			return "", err
		}
	}
	return glued(module)
}
