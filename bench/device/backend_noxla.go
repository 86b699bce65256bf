//go:build !xla

package device

import (
	"errors"

	"github.com/gomlx/compute"
)

// BuiltWithXLA says that this binary can load PJRT plugins.
const BuiltWithXLA = false

// prepareXLA says what to do for a device that this binary cannot open.
func prepareXLA() error {
	return errors.New("this binary is built without XLA; build one with CGO_ENABLED=1 go build -tags xla -o bin/infbench ./bench")
}

// donate leaves the Go backend alone, which computes in place by itself.
func donate(b compute.Backend) compute.Backend { return b }
