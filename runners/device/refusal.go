package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"infbench/training/encoder"
)

// goXLA is the module that loads plugins.
const goXLA = "github.com/gomlx/go-xla"

// headerVersion is the version of PJRT's header in go-xla v0.4.1. A test compares it with the
// header.
const headerVersion = "0.104"

// goXLAVersion returns the version of go-xla in this binary, or "" if it has none.
func goXLAVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == goXLA {
			return m.Version
		}
	}
	return ""
}

// tooSmall matches the error of a plugin whose version of a struct is larger than the one in
// the header that the caller was built with.
var tooSmall = regexp.MustCompile(`Unexpected (\w+) size: expected (\d+), got (\d+)`)

// explain adds a remedy to a plugin's error, in one line.
func (t Target) explain(plugin string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if m := tooSmall.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("the plugin %s (PJRT %s) refuses %s, which has %s bytes in go-xla %s (PJRT %s) and %s in the plugin; use an older plugin, or a go-xla built on a newer header: %s",
			plugin, unknownIfEmpty(pluginVersion(plugin)), m[1], m[3], unknownIfEmpty(goXLAVersion()), headerVersion, m[2], text)
	}
	if t.cuda() && plugin != "" && !errors.Is(err, errOff) {
		text += t.lacks(plugin)
	}
	if encoder.OutOfMemory(err) { // the wrapped error is kept
		return encoder.OfBackend(errors.New(text))
	}
	return errors.New(text)
}

// lacks describes what CUDA's plugin does not find on this machine and what installs it.
func (t Target) lacks(plugin string) (text string) {
	s := setupFor(plugin)
	if len(s.missing) > 0 {
		text += fmt.Sprintf("; not found: %s; install with %s", strings.Join(s.missing, ", "), cudaPackages)
	}
	if s.data == "" {
		text += fmt.Sprintf("; no folder has %s; the same command installs it, or set %s in %s", libdevice, dataFlag, flagsVariable)
	}
	if cards, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(cards) == 0 && os.Getenv("NVIDIA_VISIBLE_DEVICES") == "" {
		text += "; no NVIDIA card is visible (/dev/nvidia0): install its driver, then nvidia-smi must list it"
	}
	return text
}

// unknownIfEmpty returns a version, or "unknown" if it is empty.
func unknownIfEmpty(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}
