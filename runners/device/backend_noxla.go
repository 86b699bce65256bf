//go:build !xla

package device

import (
	"errors"
	"time"

	"github.com/gomlx/compute"
)

// BuiltWithXLA says that this binary can load PJRT plugins.
const BuiltWithXLA = false

// prepareXLA says what to do for a device that this binary cannot open.
func prepareXLA() error {
	return errors.New("this binary is built without XLA; build one with " + buildWithXLA)
}

// timeCompiling times nothing without XLA.
func timeCompiling(*time.Duration) (end func()) { return func() {} }

// pluginVersion is unknown without XLA.
func pluginVersion(string) string { return "" }

// donate leaves the Go backend alone, which computes in place by itself.
func donate(b compute.Backend) compute.Backend { return b }
