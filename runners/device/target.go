package device

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
)

// Target is a device as --device names it, taken apart:
//
//	go
//	xla:cpu
//	xla:cuda[:CARD][,OPTION]...
//	[xla:]PATH[:CARD][,OPTION]...    a PJRT plugin, or a folder that has one
type Target struct {
	kind   string // GoDevice, XlaCPU, XlaCUDA or pluginKind
	plugin string // absolute path; "" where it has to be found
	card   int    // anyCard: the first that the client has
	tuning tuning
}

const (
	pluginKind = "plugin"
	anyCard    = -1
)

// ParseTarget parses the name of a device. The only file it looks at is the named path.
func ParseTarget(device string) (Target, error) {
	name, options, tuned := strings.Cut(device, ",")
	if isFile(strings.TrimPrefix(device, xlaBackend)) && tuned { // XLA's options begin there
		return Target{}, fmt.Errorf("device %s: the path of a plugin must not contain a comma", device)
	}
	t, err := parseName(device, name)
	if err != nil {
		return Target{}, err
	}
	if !tuned {
		return t, nil
	}
	if t.kind == GoDevice {
		return Target{}, usage.Errorf("device %s: the Go backend has no options", device)
	}
	if t.tuning, err = parseTuning(options); err != nil {
		return Target{}, usage.Errorf("device %s: %w", device, err)
	}
	return t, nil
}

// parseName reads a device without its options.
func parseName(device, name string) (Target, error) {
	switch name {
	case GoDevice, XlaCPU, XlaCUDA:
		return Target{kind: name, card: anyCard}, nil
	}
	if number, ok := strings.CutPrefix(name, XlaCUDA+":"); ok {
		card, err := parseCard(device, number)
		return Target{kind: XlaCUDA, card: card}, err
	}
	path := strings.TrimPrefix(name, xlaBackend)
	if !usage.IsPath(path) {
		return Target{}, usage.Error{Err: nearest.Unknown("device", device, []string{GoDevice, XlaCPU, XlaCUDA, XlaCUDA + ":0", "the path of a PJRT plugin"})}
	}
	card := anyCard
	if at := strings.LastIndexByte(path, ':'); at > 0 && !exists(path) && exists(path[:at]) {
		var err error
		if card, err = parseCard(device, path[at+1:]); err != nil {
			return Target{}, err
		}
		path = path[:at]
	}
	plugin, err := pluginAt(path)
	if err != nil {
		return Target{}, fmt.Errorf("device %s: %w", device, err)
	}
	return Target{kind: pluginKind, plugin: plugin, card: card}, nil
}

// parseCard parses the number of a card.
func parseCard(device, number string) (int, error) {
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != number {
		return 0, usage.Errorf("device %s: want a card's number, as in %s:0", device, XlaCUDA)
	}
	return int(n), nil
}

// OnHost reports whether a device computes in this machine's own memory. A name that is not a
// device counts as a card.
func OnHost(device string) bool {
	t, err := ParseTarget(device)
	return err == nil && (t.kind == GoDevice || t.kind == XlaCPU)
}

// Join repairs a list of devices that was split at commas: it puts options back to their
// device.
func Join(list []string) (devices []string) {
	for _, part := range list {
		name, _, _ := strings.Cut(part, "=")
		if len(devices) > 0 && slices.Contains(optionNames(), name) {
			devices[len(devices)-1] += "," + part
		} else {
			devices = append(devices, part)
		}
	}
	return devices
}

// Kind returns what devices with equal numbers have in common: the name without the number of
// the card.
func Kind(device string) string {
	t, err := ParseTarget(device)
	if err != nil {
		return device
	}
	t.card = anyCard
	return t.String()
}

// withCard returns the same device on card n.
func (t Target) withCard(n int) Target {
	t.card = n
	return t
}

// String returns the device as --device takes it.
func (t Target) String() string {
	name := t.kind
	if t.kind == pluginKind {
		name = t.plugin
	}
	if t.card != anyCard {
		name += fmt.Sprintf(":%d", t.card)
	}
	return name + t.tuning.list(",")
}

// cuda reports whether the plugin is for NVIDIA's cards. It decides by the path, as go-xla
// does.
func (t Target) cuda() bool {
	path := strings.ToUpper(t.plugin)
	return t.kind == XlaCUDA || strings.Contains(path, "CUDA") || strings.Contains(path, "NVIDIA")
}

// hostClient reports whether the path of a plugin names XLA's plugin for processors. It decides as
// go-xla does (pjrt/plugins.go, IsCPU).
func (t Target) hostClient() bool {
	return !t.cuda() && strings.Contains(strings.ToUpper(t.plugin), "CPU")
}

// backend returns the device's name in provenance: GoMLX's configuration with all options,
// including those that GoMLX does not receive.
func (t Target) backend() string {
	switch t.kind {
	case GoDevice:
		return GoBackend
	case pluginKind:
		return xlaBackend + t.plugin + t.clientOptions() + t.tuning.ours()
	}
	return t.kind + t.clientOptions() + t.tuning.ours()
}

// config returns the configuration that opens the device in GoMLX with a plugin. XLA's plugin for
// processors has no option that chooses a device (see hostDevices). If its path is given, it is
// opened like a card: with memory of its own, into which batches are uploaded and in which weights
// are replaced. xla:cpu shares the memory of this process.
func (t Target) config(plugin string) string {
	host := ""
	if t.hostClient() {
		t.card, host = anyCard, ",shared_buffers=false"
	}
	switch {
	case t.kind == GoDevice:
		return GoBackend
	case plugin != "":
		return xlaBackend + plugin + host + t.clientOptions()
	}
	return t.kind + host + t.clientOptions()
}

// hostDevices returns the number of devices that the plugin's client has: one for a numbered device
// of XLA's plugin for processors. Each number is a client of its own, as with cards, so there are
// as many as a user asks for. 0 leaves the number to the plugin.
func (t Target) hostDevices() int {
	if t.hostClient() && t.card != anyCard {
		return 1
	}
	return 0
}

// clientOptions returns the options that go-xla reads.
func (t Target) clientOptions() string {
	var s string
	if t.cuda() {
		s = fmt.Sprintf(",tf32=%t", t.tuning.tf32)
	}
	if t.card != anyCard {
		s += fmt.Sprintf(",visible_devices=%d", t.card)
	}
	return s + t.tuning.client()
}

// exists reports whether a path exists.
func exists(path string) bool {
	_, err := disk.Stat(path)
	return err == nil
}

// isFile reports whether a path is a regular file.
func isFile(path string) bool {
	info, err := disk.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// pluginAt returns the plugin that a path names: the file itself, or one in the folder.
func pluginAt(path string) (string, error) {
	found := path
	if !isFile(path) {
		if found = inFolder(path, anyPlugin()); found == "" {
			return "", errors.New("no PJRT plugin there, such as xla_cuda_plugin.so")
		}
	}
	found, err := filepath.Abs(found)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(found, ',') { // XLA's options begin there
		return "", errors.New("the path of a plugin must not contain a comma")
	}
	return found, nil
}
