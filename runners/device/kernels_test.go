package device

import (
	"strings"
	"testing"

	"infbench/metrics/kernel"
	"infbench/training/encoder"
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
	if got := BackendName(GoBackend, encoder.BFloat16); got != "go+portable:parallelism=-1" || GoName() != "go+portable" {
		t.Errorf("provenance says %s", got)
	}
	if got := BackendName(XlaCPU, encoder.BFloat16); got != XlaCPU {
		t.Errorf("XLA is %s", got)
	}
	if err := kernel.Use(kernel.AVX512BF16); err == nil {
		for p, want := range map[encoder.Precision]string{encoder.Float32: "go+avx512", "": "go+avx512", encoder.BFloat16: "go+avx512bf16"} {
			if got := BackendName(GoBackend, p); got != want+":parallelism=-1" {
				t.Errorf("in %s provenance says %s", p, got)
			}
			if o := (&Options{Device: GoDevice}); !o.Recorded(want + ":parallelism=-1") {
				t.Errorf("%s is another device", want)
			}
		}
	}
	foreign := kernel.NEON
	if strings.Contains(strings.Join(kernel.Available(), " "), foreign) {
		foreign = kernel.AVX2
	}
	if err := FixKernels(foreign); err == nil || !strings.Contains(err.Error(), "this processor") {
		t.Errorf("a set of another processor: %v", err)
	}
}
