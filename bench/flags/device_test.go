package flags_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/runners/device"
)

// A verb computes with the set that --kernels names, be it none, and with any where the
// flag is not given or not one of its own.
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
