//go:build !xla

package device

import (
	"errors"
)

// BuiltWithXLA says that this binary can load PJRT plugins.
const BuiltWithXLA = false

// prepareXLA says what to do for a device that this binary cannot open.
func prepareXLA() error {
	return errors.New("this binary is built without XLA; build one with CGO_ENABLED=1 go build -tags xla -o bin/infbench ./bench")
}
