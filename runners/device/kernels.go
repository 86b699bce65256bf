package device

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/metrics/kernel"
)

// KernelsFlag names the flag that fixes the kernel set.
const KernelsFlag = "kernels"

// withKernels is the name under which internal/tools/glue registers a Go backend with our
// kernels, in addition to "go".
const withKernels = "go+kernels"

// KernelSet names the kernels of the Go backend: avx512, avx2, neon or portable. It returns ""
// if the binary is built without internal/tools/glue and uses GoMLX's own.
func KernelSet() string {
	if !slices.Contains(compute.List(), withKernels) {
		return ""
	}
	return kernel.Name()
}

// GoName returns the name of the Go backend with its kernels, such as go+avx512, or go if it
// uses GoMLX's own.
func GoName() string { return strings.TrimSuffix(BackendName(GoDevice+":"), ":") }

// BackendName returns the configuration of a device as provenance records it, with the kernel
// set after the Go backend's name, as in go+avx512:parallelism=-1.
func BackendName(config string) string {
	options, ours := strings.CutPrefix(config, GoDevice+":")
	if set := KernelSet(); ours && set != "" {
		return GoDevice + "+" + set + ":" + options
	}
	return config
}

// KernelsOf returns the kernel set in a backend's name, or "" if it names none.
func KernelsOf(backend string) string {
	name, _, _ := strings.Cut(backend, ":")
	_, set, _ := strings.Cut(name, "+")
	return set
}

// KernelSets are the values of --kernels, regardless of the processor.
var KernelSets = []string{kernel.AVX512, kernel.AVX2, kernel.NEON, kernel.Portable}

// FixKernels makes this process compute with the kernel set that --kernels names.
func FixKernels(name string) error {
	if !slices.Contains(KernelSets, name) {
		return usage.Error{Err: nearest.Unknown("kernel set", name, KernelSets)}
	}
	if KernelSet() == "" {
		return usage.Errorf("--%s %s: this binary is built without kernels; make build gives one with them", KernelsFlag, name)
	}
	if err := kernel.Use(name); err != nil {
		return fmt.Errorf("--%s: %w", KernelsFlag, err)
	}
	return nil
}
