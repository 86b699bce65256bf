package encoder_test

import (
	"fmt"
	"os"
	"testing"

	"infbench/metrics/kernel"
)

// kernelsVariable names the kernel set of a test process: make kernels-check runs the goldens
// under each set.
const kernelsVariable = "INFBENCH_KERNELS"

func TestMain(m *testing.M) {
	if name := os.Getenv(kernelsVariable); name != "" {
		if err := kernel.Use(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
