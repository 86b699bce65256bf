// Package device opens what computes: GoMLX backends with their options, XLA's plugins
// and the libraries of cards, vector instructions, memory and batch sizes. It is the only
// package that imports a backend. What a card is asked is tested without one: see
// pjrttest.
package device

import (
	"fmt"
	"os"
	"regexp"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"

	"infbench/internal/usage"
	"infbench/training/encoder"
)

// GoDevice is the device that every build has and that is used unless another
// is named.
const GoDevice = "go"

// GoBackend is the only safe configuration of GoMLX's pure Go backend: with its
// default one, operations wait for each other's worker slots for ever on
// machines with few cores.
const GoBackend = "go:parallelism=-1"

// xlaBackend is the prefix of GoMLX's configurations of XLA.
const xlaBackend = "xla:"

// The devices that XLA has by name.
const (
	XlaCPU  = "xla:cpu"
	XlaCUDA = "xla:cuda"
)

// BackendConfig is the name under which provenance has a device: GoMLX's configuration
// and behind it the options that are ours. TF32, which rounds float32 products to 10 bits
// of mantissa, is off unless it is asked for, as in PyTorch and unlike in go-xla.
func BackendConfig(device string) (string, error) {
	t, err := ParseTarget(device)
	if err != nil {
		return "", err
	}
	return t.backend(), nil
}

// cardOption is what the names of backends on two cards of a kind differ by, and unchecked
// what those of tests have.
var cardOption = regexp.MustCompile(`,(visible_devices=\d+|` + selfTestOption + `=false)`)

// Recorded says whether a backend that provenance names is this device, or another card of
// its kind. Where no backend is recorded it counts as this one.
func (o *Options) Recorded(backend string) bool {
	config, err := BackendConfig(o.Device)
	like := func(name string) string { return cardOption.ReplaceAllString(name, "") }
	return err == nil && (backend == "" || like(backend) == like(BackendName(config)))
}

// OpenDevices names the first of n devices of a kind and opens the others: Go
// backends of their own, which share the processors, or cards by number.
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
		return "", nil, usage.Errorf("device %s is a single one; there are several of %s, %s and the path of a PJRT plugin", device, GoDevice, XlaCUDA)
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

// OpenBackend opens the GoMLX backend of a device and has it compute what the Go backend
// computes, so that one which cannot is an error here. Nothing is ever downloaded for it.
func OpenBackend(device string) (compute.Backend, error) {
	t, err := ParseTarget(device)
	if err != nil {
		return nil, err
	}
	if t.kind == GoDevice {
		return open(GoBackend)
	}
	plugin, err := t.prepare()
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", device, err)
	}
	b, err := open(t.config(plugin))
	if err != nil {
		return nil, fmt.Errorf("open device %s: %w", device, t.explain(plugin, err))
	}
	if t.tuning.unchecked {
		return b, nil
	}
	if err := encoder.OfBackend(selfTest(b, t.tolerance())); err != nil {
		b.Finalize()
		return nil, fmt.Errorf("device %s does not compute as it should: %w", device, t.explain(plugin, err))
	}
	return b, nil
}

// prepare finds the plugin of a device of XLA's and checks what has to be so before it is
// loaded.
func (t Target) prepare() (plugin string, err error) {
	if err := prepareXLA(); err != nil {
		return "", err
	}
	if flags := os.Getenv(flagsVariable); t.tuning.deterministic && !hasFlag(flags, deterministicFlag, "", "true") {
		return "", fmt.Errorf("for %s XLA needs %s=true in %s, which is %q", deterministicOption, deterministicFlag, flagsVariable, flags)
	}
	return t.locate()
}

// open opens a backend by GoMLX's configuration.
func open(config string) (b compute.Backend, err error) {
	// XLA's loader panics on a plugin that cannot be loaded.
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("%v", p)
		}
	}()
	defer silenceStdout()()
	if b, err = compute.NewWithConfig(config); err != nil {
		return nil, err
	}
	return donate(b), nil
}

// silenceStdout keeps the backend, which prints its configuration there, from
// standard output, which belongs to our results.
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
