package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // the pure Go backend

	"infbench/metrics/nearest"
)

// goDevice is the device that every build has and that is used unless another
// is named.
const goDevice = "go"

// goBackend is the only safe configuration of GoMLX's pure Go backend: with its
// default one, operations wait for each other's worker slots for ever on
// machines with few cores.
const goBackend = "go:parallelism=-1"

// xlaBackend is the prefix of GoMLX's configurations of XLA.
const xlaBackend = "xla:"

// backendConfig is GoMLX's configuration for a device: go, xla:cpu, xla:cuda, or
// the path of a PJRT plugin.
func backendConfig(device string) (string, error) {
	switch device {
	case goDevice:
		return goBackend, nil
	case "xla:cpu", "xla:cuda":
		return device, nil
	}
	plugin := strings.TrimPrefix(device, xlaBackend)
	if !isPath(plugin) {
		return "", usageError{nearest.Unknown("device", device, []string{goDevice, "xla:cpu", "xla:cuda", "the path of a PJRT plugin"})}
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
	return xlaBackend + path, nil
}

// openBackend opens the GoMLX backend of a device. Nothing is ever downloaded for
// it.
func openBackend(device string) (b compute.Backend, err error) {
	config, err := backendConfig(device)
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
	return b, nil
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
