// Package device opens what computes: GoMLX backends with their options, vector
// instructions, memory and batch sizes. It is the only package that imports a
// backend.
package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"

	"infbench/bench/usage"
	"infbench/metrics/nearest"
)

// GoDevice is the device that every build has and that is used unless another
// is named.
const GoDevice = "go"

// GoBackend is the only safe configuration of GoMLX's pure Go backend: with its
// default one, operations wait for each other's worker slots for ever on
// machines with few cores.
const GoBackend = "go:parallelism=-1"

// xlaBackend is the prefix of GoMLX's configurations of XLA.
const xlaBackend = "xla:"

// The devices that XLA has by name.
const (
	XlaCPU  = "xla:cpu"
	XlaCUDA = "xla:cuda"
)

// IsCard says whether a device has memory and processors of its own, as graphics cards do
// and whatever a plugin drives. No device is none.
func IsCard(device string) bool { return device != "" && device != GoDevice && device != XlaCPU }

// exactCUDA keeps CUDA from rounding float32 matrix products to 10 bits of
// mantissa (TF32), as go-xla lets it by default and PyTorch does not.
const exactCUDA = ",tf32=false"

// BackendConfig is GoMLX's configuration for a device: go, xla:cpu, xla:cuda,
// xla:cuda:N for card N alone, or the path of a PJRT plugin.
func BackendConfig(device string) (string, error) {
	switch device {
	case GoDevice:
		return GoBackend, nil
	case XlaCPU:
		return device, nil
	case XlaCUDA:
		return device + exactCUDA, nil
	}
	if card, ok := strings.CutPrefix(device, XlaCUDA+":"); ok {
		if n, err := strconv.ParseUint(card, 10, 16); err != nil || strconv.FormatUint(n, 10) != card {
			return "", usage.Errorf("device %s: want a card's number, as in %s:0", device, XlaCUDA)
		}
		return XlaCUDA + exactCUDA + ",visible_devices=" + card, nil
	}
	plugin := strings.TrimPrefix(device, xlaBackend)
	if !usage.IsPath(plugin) {
		return "", usage.Error{Err: nearest.Unknown("device", device, []string{GoDevice, XlaCPU, XlaCUDA, XlaCUDA + ":0", "the path of a PJRT plugin"})}
	}
	info, err := os.Stat(plugin)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("device %s: no PJRT plugin there, such as xla_cuda_plugin.so", device)
	}
	path, err := filepath.Abs(plugin)
	if err != nil {
		return "", fmt.Errorf("device %s: %w", device, err)
	}
	if strings.ContainsRune(path, ',') { // XLA's options begin there
		return "", fmt.Errorf("device %s: the path of a plugin may hold no comma", device)
	}
	if strings.Contains(filepath.Base(path), "cuda") { // as go-xla tells
		return xlaBackend + path + exactCUDA, nil
	}
	return xlaBackend + path, nil
}

// OpenDevices names the first of n devices of a kind and opens the others: Go
// backends of their own, which share the processors, or cards by number.
func OpenDevices(device string, n int) (first string, others []compute.Backend, err error) {
	name := func(int) string { return device }
	switch {
	case n > 1 && device == XlaCUDA:
		name = func(i int) string { return fmt.Sprintf("%s:%d", XlaCUDA, i) }
	case n > 1 && device != GoDevice:
		return "", nil, usage.Errorf("device %s is a single one; there are several of %s and %s", device, GoDevice, XlaCUDA)
	}
	for i := 1; i < n; i++ {
		b, err := OpenBackend(name(i))
		if err != nil {
			return "", nil, err
		}
		others = append(others, b)
	}
	return name(0), others, nil
}

// OpenBackend opens the GoMLX backend of a device. Nothing is ever downloaded for
// it.
func OpenBackend(device string) (b compute.Backend, err error) {
	config, err := BackendConfig(device)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(config, xlaBackend) {
		if err := prepareXLA(); err != nil {
			return nil, fmt.Errorf("device %s: %w", device, err)
		}
	}
	// XLA's loader panics on a plugin that cannot be loaded.
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("open device %s: %v", device, p)
		}
	}()
	defer silenceStdout()()
	b, err = compute.NewWithConfig(config)
	if err != nil {
		return nil, fmt.Errorf("open device %s: %w", device, err)
	}
	return donate(b), nil
}

// silenceStdout keeps the backend, which prints its configuration there, from
// standard output, which belongs to our results.
func silenceStdout() (restore func()) {
	stdout := os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		os.Stdout = os.Stderr
		return func() { os.Stdout = stdout }
	}
	os.Stdout = null
	return func() {
		os.Stdout = stdout
		null.Close()
	}
}
