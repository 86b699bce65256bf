// Command glue gives GoMLX's Go backend our kernels. The backend chooses its functions from
// registries that only packages of its own module can reach. So this command copies that
// module, as pinned by go.mod, and adds the files below _compute to the copy, each at the
// same place. They register functions of higher priority for float32, which call
// metrics/kernel; everything else stays as upstream.
//
//	bin/glue/compute    the copy with the added files
//	bin/glue/go.mod     our go.mod with a replace of the module by the copy
//	bin/glue/go.sum     our go.sum
//
// go build -modfile=bin/glue/go.mod then builds with kernels. The Makefile runs this command
// and exports GOFLAGS, so that everything built by make has them. A plain go build uses
// upstream's own functions: it computes the same, slower and with other last bits; infbench
// version reports which functions it uses.
//
// The files of _compute rely on functions and types of upstream's files that relies.sum lists
// with their hashes. If the module is upgraded and one of those files has changed, this
// command fails and names it. Then read the change, adapt the files below _compute, and run
// the tests with make test; go run ./internal/tools/glue --accept writes the new hashes.
//
// Once upstream accepts such functions from outside, this folder can be removed, with the
// lines of the Makefile and of internal/tools/release that name it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	accept := flag.Bool("accept", false, "rewrite relies.sum from the pinned module")
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
