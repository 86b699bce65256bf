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

// headerVersion is the version of PJRT's header that go-xla v0.4.1 is built on; a test
// holds it to the header.
const headerVersion = "0.104"

// goXLAVersion is the version of go-xla in this binary; "" where it has none.
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

// tooSmall is how plugins refuse a struct that has grown in them since the header that the
// caller was built with.
var tooSmall = regexp.MustCompile(`Unexpected (\w+) size: expected (\d+), got (\d+)`)

// explain adds to an error of a plugin what can be done about it, in one line.
func (t Target) explain(plugin string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if m := tooSmall.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("the plugin %s (PJRT %s) refuses %s, which has %s bytes in go-xla %s (PJRT %s) and %s in the plugin; it takes an older plugin, or a go-xla built on a newer header: %s",
			plugin, unknownIfEmpty(pluginVersion(plugin)), m[1], m[3], unknownIfEmpty(goXLAVersion()), headerVersion, m[2], text)
	}
	if t.cuda() && plugin != "" && !errors.Is(err, errOff) {
		text += t.lacks(plugin)
	}
	if encoder.OutOfMemory(err) { // which stays known
		return encoder.OfBackend(errors.New(text))
	}
	return errors.New(text)
}

// lacks says what CUDA's plugin does not find here, and what brings it.
func (t Target) lacks(plugin string) (text string) {
	s := setupFor(plugin)
	if len(s.missing) > 0 {
		text += fmt.Sprintf("; not found: %s, which %s brings", strings.Join(s.missing, ", "), cudaPackages)
	}
	if s.data == "" {
		text += fmt.Sprintf("; no folder has %s, which the same brings, or %s in %s names", libdevice, dataFlag, flagsVariable)
	}
	if cards, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(cards) == 0 && os.Getenv("NVIDIA_VISIBLE_DEVICES") == "" {
		text += "; no NVIDIA card shows here (/dev/nvidia0): nvidia-smi must list one, its driver brings both"
	}
	return text
}

// unknownIfEmpty is for versions that nobody tells.
func unknownIfEmpty(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}
