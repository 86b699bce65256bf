// Package device opens compute devices: GoMLX backends with their options, XLA's plugins and
// the libraries of graphics cards, vector instructions, memory and batch sizes. No other
// package imports a backend. Calls to a plugin are tested without a card: see pjrttest.
package device

import (
	"fmt"
	"os"
	"regexp"
	"sync"

	"github.com/gomlx/compute"
	_ "infbench/training/backend"

	"infbench/internal/usage"
	"infbench/training/encoder"
)

// GoDevice is the default device, which every build has.
const GoDevice = "go"

// GoBackend is the only safe configuration of GoMLX's pure Go backend. With the default one,
// operations can wait forever for each other's worker slots on machines with few cores.
const GoBackend = "go:parallelism=-1"

// xlaBackend is the prefix of GoMLX's configurations of XLA.
const xlaBackend = "xla:"

// Names of XLA's devices.
const (
	XlaCPU  = "xla:cpu"
	XlaCUDA = "xla:cuda"
)

// BackendConfig returns the name that provenance records for a device: GoMLX's configuration,
// followed by our own options. TF32, which rounds float32 products to 10 bits of mantissa, is
// off by default, as in PyTorch and unlike in go-xla.
func BackendConfig(device string) (string, error) {
	t, err := ParseTarget(device)
	if err != nil {
		return "", err
	}
	return t.backend(), nil
}

// cardOption matches the part in which the backend names of two cards of a kind differ, and
// unchecked the option that tests add.
var cardOption = regexp.MustCompile(`,(visible_devices=\d+|` + selfTestOption + `=false)`)

// Recorded reports whether a backend in provenance is this device or another card of its kind.
// An empty name counts as this device.
func (o *Options) Recorded(backend string) bool {
	config, err := BackendConfig(o.Device)
	like := func(name string) string { return cardOption.ReplaceAllString(name, "") }
	isNamed := func(p encoder.Precision) bool { return like(backend) == like(BackendName(config, p)) }
	return err == nil && (backend == "" || isNamed(encoder.Float32) || isNamed(encoder.BFloat16))
}

// OpenDevices names the first of n devices of a kind and opens the others: separate Go
// backends, which share the processors, or cards by number.
func OpenDevices(device string, n int) (first string, others []compute.Backend, err error) {
	t, err := ParseTarget(device)
	if err != nil {
		return "", nil, err
	}
	name := func(int) string { return device }
	switch {
	case n > 1 && (t.kind == XlaCUDA || t.kind == pluginKind) && t.card == anyCard:
		name = func(i int) string { return t.withCard(i).String() }
	case n > 1 && t.kind != GoDevice:
		return "", nil, usage.Errorf("device %s cannot be used several times; only %s, %s and the path of a PJRT plugin can", device, GoDevice, XlaCUDA)
	}
	for i := 1; i < n; i++ {
		b, err := OpenBackend(name(i))
		if err != nil {
			return "", nil, err
		}
		others = append(others, b)
	}
	return name(0), others, nil
}

// shared are the backends of this process by device, if it shares them.
var shared struct {
	sync.Mutex
	of map[string]compute.Backend
}

// ShareBackends makes OpenBackend return the same backend for a device from now on, and makes the
// backend keep its compiled programs, so that several trials in this process share them. Nobody may
// finalize such a backend.
func ShareBackends() {
	shared.Lock()
	defer shared.Unlock()
	if shared.of == nil {
		shared.of = map[string]compute.Backend{}
	}
}

// OpenBackend opens the GoMLX backend of a device and compares its results with the Go
// backend's. It returns an error for a device that computes something else. It never downloads
// anything.
func OpenBackend(device string) (compute.Backend, error) {
	shared.Lock()
	defer shared.Unlock()
	if b := shared.of[device]; b != nil {
		return b, nil
	}
	b, err := openNew(device)
	if err == nil && shared.of != nil {
		shared.of[device] = b
		keepPrograms(b)
	}
	return b, err
}

func openNew(device string) (compute.Backend, error) {
	t, err := ParseTarget(device)
	if err != nil {
		return nil, err
	}
	if t.kind == GoDevice {
		return open(GoBackend, 0)
	}
	plugin, err := t.prepare()
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", device, err)
	}
	b, err := open(t.config(plugin), t.hostDevices())
	if err != nil {
		return nil, fmt.Errorf("open device %s: %w", device, t.explain(plugin, err))
	}
	if t.tuning.unchecked {
		return b, nil
	}
	if err := encoder.OfBackend(selfTest(b, t.tolerance())); err != nil {
		b.Finalize()
		return nil, fmt.Errorf("device %s does not compute correctly: %w", device, t.explain(plugin, err))
	}
	return b, nil
}

// prepare finds the plugin of an XLA device and checks the conditions for loading it.
func (t Target) prepare() (plugin string, err error) {
	if err := prepareXLA(); err != nil {
		return "", err
	}
	if flags := os.Getenv(flagsVariable); t.tuning.deterministic && !hasFlag(flags, deterministicFlag, "", "true") {
		return "", fmt.Errorf("for %s XLA needs %s=true in %s, which is %q", deterministicOption, deterministicFlag, flagsVariable, flags)
	}
	return t.locate()
}

// open opens a backend from GoMLX's configuration. A client of XLA on processors gets hostDevices
// devices, if that is not 0.
func open(config string, hostDevices int) (b compute.Backend, err error) {
	// XLA's loader panics on a plugin that cannot be loaded.
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("%v", p)
		}
	}()
	defer silenceStdout()()
	if hostDevices > 0 {
		b, err = openHost(config, hostDevices)
	} else {
		b, err = compute.NewWithConfig(config)
	}
	if err != nil {
		return nil, err
	}
	return donate(b), nil
}

// silenceStdout redirects standard output while a backend opens: the backend prints its
// configuration there, and standard output is for our results.
func silenceStdout() (restore func()) {
	stdout := os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		os.Stdout = os.Stderr
		return func() { os.Stdout = stdout }
	}
	os.Stdout = null
	return func() {
		os.Stdout = stdout
		null.Close()
	}
}
