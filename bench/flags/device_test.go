package flags_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/runners/device"
)

// TestFixKernels: a verb uses the kernel set that --kernels names, including none. It uses any
// set if the flag is absent or is not declared by this package.
func TestFixKernels(t *testing.T) {
	if err := flags.FixKernels(&cobra.Command{}); err != nil {
		t.Errorf("a verb without --kernels: %v", err)
	}
	var o device.Options
	cmd := &cobra.Command{}
	flags.Device(cmd, &o)
	if err := flags.FixKernels(cmd); err != nil {
		t.Errorf("--kernels not given: %v", err)
	}
	for _, name := range []string{"portible", ""} {
		if err := cmd.Flags().Set(device.KernelsFlag, name); err != nil {
			t.Fatal(err)
		}
		if err := flags.FixKernels(cmd); err == nil || !strings.Contains(err.Error(), "avx512") || o.Kernels != name {
			t.Errorf("--kernels %q: %v, and the options have %q", name, err, o.Kernels)
		}
	}
}
