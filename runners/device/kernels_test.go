package device

import (
	"strings"
	"testing"

	"infbench/metrics/kernel"
)

// --kernels fixes a set that the processor supports. It refuses other sets by name, and
// suggests the nearest one for an unknown name.
func TestFixKernels(t *testing.T) {
	before := kernel.Name()
	defer func() {
		if err := kernel.Use(before); err != nil {
			t.Error(err)
		}
	}()
	if err := FixKernels("portible"); err == nil || !strings.Contains(err.Error(), "portable") || !strings.Contains(err.Error(), "avx512") {
		t.Errorf("an unknown set: %v", err)
	}
	err := FixKernels(kernel.Portable)
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
	if err := FixKernels(foreign); err == nil || !strings.Contains(err.Error(), "this processor") {
		t.Errorf("a set of another processor: %v", err)
	}
}
