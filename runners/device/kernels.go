package device

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/metrics/kernel"
	"infbench/training/backend"
	"infbench/training/encoder"
)

// KernelsFlag names the flag that fixes the kernel set.
const KernelsFlag = "kernels"

// KernelSet names the kernels of the Go backend for evaluation in a precision: avx512, avx2, neon
// or portable, or avx512bf16, which differs from avx512 only in bf16. It returns "" if they do
// not fit the version of GoMLX in this program, which then uses GoMLX's own.
func KernelSet(p encoder.Precision) string {
	set, _ := backend.Kernels()
	if p != encoder.BFloat16 {
		return kernel.Float32(set)
	}
	return set
}

// GoName returns the name of the Go backend with its kernels, such as go+avx512, or go if it
// uses GoMLX's own.
func GoName() string {
	return strings.TrimSuffix(BackendName(GoDevice+":", encoder.BFloat16), ":")
}

// BackendName returns the configuration of a device as provenance records it, with the kernel
// set of a precision after the Go backend's name, as in go+avx512:parallelism=-1.
func BackendName(config string, p encoder.Precision) string {
	options, ours := strings.CutPrefix(config, GoDevice+":")
	if set := KernelSet(p); ours && set != "" {
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
var KernelSets = []string{kernel.AVX512BF16, kernel.AVX512, kernel.AVX2, kernel.NEON, kernel.Portable}

// FixKernels makes this process compute with the kernel set that --kernels names.
func FixKernels(name string) error {
	if !slices.Contains(KernelSets, name) {
		return usage.Error{Err: nearest.Unknown("kernel set", name, KernelSets)}
	}
	if _, err := backend.Kernels(); err != nil {
		return usage.Errorf("--%s %s: the kernels do not fit this version of GoMLX: %w", KernelsFlag, name, err)
	}
	if err := kernel.Use(name); err != nil {
		return fmt.Errorf("--%s: %w", KernelsFlag, err)
	}
	return nil
}

// KeepKernels returns a function that undoes later calls of FixKernels.
func KeepKernels() (undo func()) {
	name := kernel.Name()
	return func() { _ = kernel.Use(name) } // it was in use
}
