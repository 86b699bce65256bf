package device

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gomlx/compute"

	room "infbench/internal/memory"
	"infbench/runners"
	"infbench/runners/codes"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// Options name the device that networks run on and the resources they may use. They are not
// part of a cell: they change its numbers by float32 rounding at most and, on the Go backend,
// not at all unless a batch has to be made smaller.
type Options struct {
	Device  string
	Memory  spec.Bytes // limit for this process; 0: memory.Bound decides
	Cache   string     // folder of an embedding cache; "" or NoCache: none
	Kernels string     // kernel set fixed by --kernels; "": the best that the processor supports
	Blocks  string     // block form for dense search; see BlocksFlag
	Meter   *Meter     // reads the card once it is open; nil: no readings

	Around func(compute.Backend) compute.Backend // wraps the device to inject faults, for tests; nil: no wrapper
}

// MemoryFlag names the flag that limits the memory of a process.
const MemoryFlag = "memory"

// NoCache is the value of --cache that turns off the cache of a sweep.
const NoCache = "off"

// share is the divisor that gives the part of a process's memory for vectors and batches.
// Weights, texts and indexes need room, too.
const share = 4

// DeviceHelp is the help of --device.
const DeviceHelp = "device to compute on: go, xla:cpu, xla:cuda, xla:cuda:N or the path of a PJRT plugin, or of a folder with one, PATH:N for its card N" + tuningHelp

// Check finds errors in the options without opening the device.
func (o *Options) Check() error {
	if _, err := codes.Parse(o.Blocks); err != nil {
		return fmt.Errorf("--%s: %w", BlocksFlag, err)
	}
	_, err := BackendConfig(o.Device)
	return err
}

// Probe opens the device in a separate process. A missing device is then an error before
// anything runs, and this process keeps none of the device's memory.
func (o *Options) Probe(ctx context.Context) error {
	if err := o.Check(); err != nil {
		return err
	}
	config, err := BackendConfig(o.Device)
	if err != nil || config == GoBackend {
		return err
	}
	if err := prepareXLA(); err != nil {
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	var stderr bytes.Buffer
	child := exec.CommandContext(ctx, self, OpenDeviceVerb, o.Device)
	child.Stderr = &stderr
	if err := child.Run(); err != nil {
		text := strings.TrimSpace(stderr.String())
		last := strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "infbench: ")
		if last == "" {
			last = fmt.Sprintf("open device %s: %v", o.Device, err)
		}
		return fmt.Errorf("%s", last)
	}
	return nil
}

// Describe records in provenance which device networks run on, evaluated in a precision.
func (o *Options) Describe(p *results.Provenance, in encoder.Precision) error {
	config, err := BackendConfig(o.Device)
	p.Backend = BackendName(config, in)
	p.Memory = 2 * o.budget()
	return err
}

// Args returns the options as flags of a process that computes one cell while atATime cells are
// computed at once.
func (o *Options) Args(atATime int) []string {
	memory := o.Memory
	if memory == 0 {
		memory = spec.Bytes(room.Bound() / int64(max(1, atATime)))
	}
	return append([]string{"--device", o.Device, "--memory", memory.String(), "--cache", o.Cache}, slices.Concat(o.KernelArgs(), o.BlocksArgs())...)
}

// KernelArgs returns the flag that fixes the kernel set, or nothing.
func (o *Options) KernelArgs() []string {
	if o.Kernels == "" {
		return nil
	}
	return []string{"--" + KernelsFlag, o.Kernels}
}

// Open opens the backend.
func (o *Options) Open() (compute.Backend, error) {
	b, err := OpenBackend(o.Device)
	if err != nil {
		return nil, err
	}
	t, err := ParseTarget(o.Device)
	if err != nil {
		return nil, err
	}
	o.Meter.start(t)
	if o.Around != nil {
		b = o.Around(b)
	}
	return b, nil
}

// CacheFolder returns the folder of the vector cache, or "" if there is none.
func (o *Options) CacheFolder() string {
	if o.Cache == NoCache {
		return ""
	}
	return o.Cache
}

// budget returns how many bytes vectors may take, half of a share. Batches may take as much
// again. If the limit is so small that the program itself takes more, the budget is half of
// that.
func (o *Options) budget() int64 {
	if o.Memory == 0 {
		return room.Bound() / share / 2
	}
	return min(int64(o.Memory), max(int64(o.Memory), room.Least)/share) / 2
}

// Batches on an accelerator are large enough to fill it. If fewer texts wait, a batch is
// smaller, so that it does not compute padding.
const (
	deviceTokens = 32768
	deviceSmall  = 2048
	deviceTexts  = 8192 // given to the encoder at a time, which sorts them by length
)

// Batching returns how an encoder forms batches on the device. On a card, the card's own memory
// limits a batch, whatever --memory leaves this process: a batch that does not fit is halved.
func (o *Options) Batching() encoder.Batching {
	switch t, _ := ParseTarget(o.Device); t.kind {
	case GoDevice:
		return encoder.Batching{Memory: o.budget()}
	case XlaCPU:
		return encoder.Batching{Tokens: 2 * deviceSmall, Small: deviceSmall / 4, Memory: o.budget()}
	}
	return encoder.Batching{Tokens: deviceTokens, Small: deviceSmall}
}

// Dense returns a dense retriever's limits on this machine.
func (o *Options) Dense(s runners.Similarity) runners.DenseOptions {
	opts := runners.DenseOptions{Similarity: s, MemoryBudget: max(1, o.budget()), Blocks: codes.Form(o.Blocks)}
	if !OnHost(o.Device) {
		opts.BatchSize = deviceTexts
	}
	return opts
}

// Late returns late interaction's limits on this machine.
func (o *Options) Late(s runners.LateScoring) runners.LateOptions {
	opts := runners.LateOptions{Scoring: s, MemoryBudget: max(1, o.budget())}
	if !OnHost(o.Device) {
		opts.BatchSize = deviceTexts
	}
	return opts
}

// CPUSeconds returns the processor time of this process in seconds, user and system, over all
// threads. It is 0 if the system does not report it. Unlike wall-clock time it does not grow
// with the load of the machine.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// PeakRSS returns the largest resident size of this process so far, in bytes.
func PeakRSS() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // bytes there, KiB elsewhere
	}
	return usage.Maxrss << 10
}
