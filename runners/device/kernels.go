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

// KernelsFlag fixes the kernel set.
const KernelsFlag = "kernels"

// withKernels is the name under which internal/tools/glue registers the Go backend beside "go"
// where a binary is built with it.
const withKernels = "go+kernels"

// KernelSet names the kernels that the Go backend computes with: avx512, avx2, neon or
// portable, and "" where the binary is built without internal/tools/glue and has GoMLX's own.
func KernelSet() string {
	if !slices.Contains(compute.List(), withKernels) {
		return ""
	}
	return kernel.Name()
}

// GoName is the Go backend with its kernels: go+avx512, or go where it has GoMLX's own.
func GoName() string { return strings.TrimSuffix(BackendName(GoDevice+":"), ":") }

// BackendName is the configuration of a device as provenance keeps it: with the kernel
// set after the Go backend's name, as in go+avx512:parallelism=-1.
func BackendName(config string) string {
	options, ours := strings.CutPrefix(config, GoDevice+":")
	if set := KernelSet(); ours && set != "" {
		return GoDevice + "+" + set + ":" + options
	}
	return config
}

// KernelsOf is the kernel set in a backend's name, "" where it has none.
func KernelsOf(backend string) string {
	name, _, _ := strings.Cut(backend, ":")
	_, set, _ := strings.Cut(name, "+")
	return set
}

// KernelSets are the names that --kernels takes, whatever the processor.
var KernelSets = []string{kernel.AVX512, kernel.AVX2, kernel.NEON, kernel.Portable}

// FixKernels has this process compute with a kernel set, which --kernels named.
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
