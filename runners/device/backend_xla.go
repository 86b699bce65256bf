//go:build xla

package device

import (
	"fmt"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
)

// BuiltWithXLA says that this binary can load PJRT plugins. It is built by
// go build -tags xla with cgo.
const BuiltWithXLA = true

// prepareXLA keeps XLA from downloading plugins by itself.
func prepareXLA() error {
	xla.EnableAutoInstall(false)
	return nil
}

// pluginVersion is the version of PJRT that the plugin at a path speaks, as 0.116; "" of
// one that cannot be loaded.
func pluginVersion(path string) string {
	plugin, err := pjrt.GetPlugin(path)
	if err != nil {
		return ""
	}
	major, minor := plugin.Version()
	return fmt.Sprintf("%d.%d", major, minor)
}
