//go:build xla

package device

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
)

// BuiltWithXLA reports whether this binary can load PJRT plugins. Build it with cgo and go
// build -tags xla.
const BuiltWithXLA = true

// prepareXLA stops XLA from downloading plugins.
func prepareXLA() error {
	xla.EnableAutoInstall(false)
	return nil
}

// pluginVersion returns the PJRT version of the plugin at a path, such as 0.116, or "" if the
// plugin cannot be loaded.
func pluginVersion(path string) string {
	plugin, err := pjrt.GetPlugin(path)
	if err != nil {
		return ""
	}
	major, minor := plugin.Version()
	return fmt.Sprintf("%d.%d", major, minor)
}

// openHost opens a client of n devices with XLA's plugin for processors. The option is the
// plugin's: a client without it has four devices, and XLA_FLAGS does not change that.
func openHost(config string, n int) (compute.Backend, error) {
	return xla.NewWithOptions(strings.TrimPrefix(config, xlaBackend), pjrt.NamedValuesMap{"cpu_device_count": int64(n)})
}
