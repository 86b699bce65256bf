//go:build xla

package device

import (
	"github.com/gomlx/go-xla/compute/xla"
)

// BuiltWithXLA says that this binary can load PJRT plugins. It is built by
// go build -tags xla with cgo.
const BuiltWithXLA = true

// prepareXLA keeps XLA from downloading plugins by itself.
func prepareXLA() error {
	xla.EnableAutoInstall(false)
	return nil
}
