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

// Options say what networks run on and what they may use. They are no
// part of a cell: its numbers depend on them to float32 rounding at most, and on
// the Go backend not at all unless a batch has to be made smaller.
type Options struct {
	Device  string
	Memory  spec.Bytes // of this process; 0: what memory.Bound says
	Cache   string     // folder of an embedding cache; "" or NoCache: none
	Kernels string     // kernel set that --kernels fixed; "": the best that the processor has
	Blocks  string     // form of what a dense search multiplies; see BlocksFlag
	Meter   *Meter     // reads the card once it is open; nil: nothing does

	Around func(compute.Backend) compute.Backend // puts what fails on purpose around the device, for tests; nil: nothing
}

// MemoryFlag is the flag that bounds the memory of a process.
const MemoryFlag = "memory"

// NoCache is the --cache that turns the cache of a sweep off.
const NoCache = "off"

// share is the part of a process's memory that vectors and batches take: weights, texts
// and indexes need room, too.
const share = 4

// DeviceHelp is the help of --device.
const DeviceHelp = "what computes: go, xla:cpu, xla:cuda, xla:cuda:N or the path of a PJRT plugin, or of a folder with one, PATH:N for its card N" + tuningHelp

// Check finds the faults that can be found without opening the device.
func (o *Options) Check() error {
	if _, err := codes.Parse(o.Blocks); err != nil {
		return fmt.Errorf("--%s: %w", BlocksFlag, err)
	}
	_, err := BackendConfig(o.Device)
	return err
}

// Probe opens the device as a process of its own would, so that a missing one is
// an error before anything runs and this process keeps none of its memory.
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

// Describe notes in provenance what networks run on.
func (o *Options) Describe(p *results.Provenance) error {
	config, err := BackendConfig(o.Device)
	p.Backend = BackendName(config)
	p.Memory = 2 * o.budget()
	return err
}

// Args are the options as flags of a process that computes one of several cells
// at a time.
func (o *Options) Args(atATime int) []string {
	memory := o.Memory
	if memory == 0 {
		memory = spec.Bytes(room.Bound() / int64(max(1, atATime)))
	}
	return append([]string{"--device", o.Device, "--memory", memory.String(), "--cache", o.Cache}, slices.Concat(o.KernelArgs(), o.BlocksArgs())...)
}

// KernelArgs is the flag that fixes the kernel set, if one is fixed.
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

// CacheFolder is where vectors are kept; "" where they are not.
func (o *Options) CacheFolder() string {
	if o.Cache == NoCache {
		return ""
	}
	return o.Cache
}

// budget is what vectors may take, and batches as much again: half of a share. Where so
// little memory is given that the program itself takes more, it is half of that.
func (o *Options) budget() int64 {
	if o.Memory == 0 {
		return room.Bound() / share / 2
	}
	return min(int64(o.Memory), max(int64(o.Memory), room.Least)/share) / 2
}

// Batches on an accelerator are large enough to fill it; where fewer texts wait,
// a batch is small so that it does not compute padding.
const (
	deviceTokens = 32768
	deviceSmall  = 2048
	deviceTexts  = 8192 // given to the encoder at a time, sorted by length there
)

// Batching is how an encoder batches on the device. What a batch takes on a card is
// bounded by the card's own memory, whatever --memory leaves this process: a batch that
// does not fit there is halved.
func (o *Options) Batching() encoder.Batching {
	switch t, _ := ParseTarget(o.Device); t.kind {
	case GoDevice:
		return encoder.Batching{Memory: o.budget()}
	case XlaCPU:
		return encoder.Batching{Tokens: 2 * deviceSmall, Small: deviceSmall / 4, Memory: o.budget()}
	}
	return encoder.Batching{Tokens: deviceTokens, Small: deviceSmall}
}

// Dense is how a dense retriever uses the machine.
func (o *Options) Dense(s runners.Similarity) runners.DenseOptions {
	opts := runners.DenseOptions{Similarity: s, MemoryBudget: max(1, o.budget()), Blocks: codes.Form(o.Blocks)}
	if !OnHost(o.Device) {
		opts.BatchSize = deviceTexts
	}
	return opts
}

// Late is how late interaction uses the machine.
func (o *Options) Late(s runners.LateScoring) runners.LateOptions {
	opts := runners.LateOptions{Scoring: s, MemoryBudget: max(1, o.budget())}
	if !OnHost(o.Device) {
		opts.BatchSize = deviceTexts
	}
	return opts
}

// CPUSeconds is the processor time that this process has taken so far, its own and
// the system's for it, over all threads, in seconds; 0 where the system does not say.
// Unlike wall-clock time it does not grow with what else the machine does.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// PeakRSS is the largest resident size of this process so far, in bytes.
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
