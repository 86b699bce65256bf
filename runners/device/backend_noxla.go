//go:build !xla

package device

import (
	"errors"

	"github.com/gomlx/compute"
)

// BuiltWithXLA reports whether this binary can load PJRT plugins.
const BuiltWithXLA = false

// prepareXLA returns an error that explains how to build a binary that opens XLA's devices.
func prepareXLA() error {
	return errors.New("this binary is built without XLA; build one with " + buildWithXLA)
}

// timeCompiling counts nothing without XLA.
func timeCompiling(*Compiled) (end func()) { return func() {} }

// pluginVersion is unknown without XLA.
func pluginVersion(string) string { return "" }

// donate returns the Go backend unchanged, because it already computes in place.
func donate(b compute.Backend) compute.Backend { return b }

// keepPrograms does nothing: the Go backend compiles nothing.
func keepPrograms(compute.Backend) {}

// openHost is never called: prepareXLA fails first.
func openHost(string, int) (compute.Backend, error) { return nil, prepareXLA() }
