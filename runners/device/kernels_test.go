package device

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/metrics/kernel"
)

// --kernels fixes a set that the processor has; others are named, and a name that is none
// gets the nearest.
func TestFixKernels(t *testing.T) {
	before := kernel.Name()
	defer func() {
		if err := kernel.Use(before); err != nil {
			t.Error(err)
		}
	}()
	fix := func(name string) error {
		var o Options
		cmd := &cobra.Command{}
		o.AddDeviceFlags(cmd)
		if err := cmd.Flags().Set(kernelsFlag, name); err != nil {
			t.Fatal(err)
		}
		return FixKernels(cmd)
	}
	if err := fix("portible"); err == nil || !strings.Contains(err.Error(), "portable") || !strings.Contains(err.Error(), "avx512") {
		t.Errorf("an unknown set: %v", err)
	}
	err := fix(kernel.Portable)
	if KernelSet() == "" {
		if err == nil || !strings.Contains(err.Error(), "make build") {
			t.Errorf("a binary without kernels: %v", err)
		}
		if got := BackendName(GoBackend); got != GoBackend || GoName() != "go" {
			t.Errorf("a binary without kernels is %s", got)
		}
		return
	}
	if err != nil || kernel.Name() != kernel.Portable {
		t.Errorf("%s in use, %v", kernel.Name(), err)
	}
	if got := BackendName(GoBackend); got != "go+portable:parallelism=-1" || GoName() != "go+portable" {
		t.Errorf("provenance says %s", got)
	}
	if got := BackendName(XlaCPU); got != XlaCPU {
		t.Errorf("XLA is %s", got)
	}
	foreign := kernel.NEON
	if strings.Contains(strings.Join(kernel.Available(), " "), foreign) {
		foreign = kernel.AVX2
	}
	if err := fix(foreign); err == nil || !strings.Contains(err.Error(), "this processor") {
		t.Errorf("a set of another processor: %v", err)
	}
}
