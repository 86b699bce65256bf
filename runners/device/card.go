package device

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// nvidiaSMI tells of NVIDIA's cards.
const nvidiaSMI = "nvidia-smi"

// Card is one of NVIDIA's, as nvidia-smi tells.
type Card struct {
	Name, Driver string
	Memory       int64 // bytes
}

// findCard asks for the card of a device.
func findCard(ctx context.Context, t Target) (Card, error) {
	out, err := exec.CommandContext(ctx, nvidiaSMI, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader,nounits", "--id="+t.cardID()).Output()
	if err != nil {
		return Card{}, fmt.Errorf("%s: %w", nvidiaSMI, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	fields := fieldsOf(line)
	if len(fields) != 3 {
		return Card{}, fmt.Errorf("%s says %q", nvidiaSMI, line)
	}
	mib, _ := strconv.ParseInt(fields[2], 10, 64)
	return Card{Name: fields[0], Driver: fields[1], Memory: mib << 20}, nil
}

// cardID is how nvidia-smi knows the card of a device: CUDA counts those that
// CUDA_VISIBLE_DEVICES leaves it.
func (t Target) cardID() string {
	n := max(t.card, 0)
	if visible := os.Getenv("CUDA_VISIBLE_DEVICES"); visible != "" {
		if list := strings.Split(visible, ","); n < len(list) {
			return strings.TrimSpace(list[n])
		}
	}
	return strconv.Itoa(n)
}

// usualFraction is the part of a card's memory that XLA's client takes at most where
// memory_fraction says nothing: the rest stays idle.
const usualFraction = 0.75

// CardMemory is how much of a card's memory a device of XLA's may take, in bytes, and how
// that is told; 0 where nvidia-smi does not tell of it, or the device is no card.
func CardMemory(ctx context.Context, device string) (most int64, told string) {
	t, err := ParseTarget(device)
	if err != nil || !t.cuda() {
		return 0, ""
	}
	card, err := findCard(ctx, t)
	if err != nil || card.Memory == 0 {
		return 0, ""
	}
	part := cmp.Or(t.tuning.fraction, usualFraction)
	return int64(part * float64(card.Memory)), fmt.Sprintf("%s=%g of %s", fractionOption, float32(part), card.Name)
}

// fieldsOf takes a line of nvidia-smi's apart.
func fieldsOf(line string) []string {
	list := strings.Split(line, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// meterEvery is how often a card is read while it computes.
const meterEvery = 500 * time.Millisecond

// Meter reads the memory and the power of a card from the moment that a device is opened.
// The zero Meter is ready for use.
type Meter struct {
	target Target
	opened bool
	smi    *exec.Cmd // nil: of this device nothing can be read
	done   sync.WaitGroup

	compiling    time.Duration // in which XLA compiled
	endCompiling func()        // nil: nothing is timed

	memory int64   // most bytes in use
	joules float64 // power over time; 0 where the card does not tell
}

// start reads the card of a device; of those that are no cards of NVIDIA's, and where
// nvidia-smi is not to be had, there is nothing to read. One that reads goes on.
func (m *Meter) start(t Target) {
	if m == nil || m.opened {
		return
	}
	m.target, m.opened = t, true
	if t.kind != GoDevice {
		m.endCompiling = timeCompiling(&m.compiling)
	}
	if !t.cuda() {
		return
	}
	smi := exec.Command(nvidiaSMI, "--query-gpu=memory.used,power.draw", "--format=csv,noheader,nounits",
		"--id="+t.cardID(), fmt.Sprintf("--loop-ms=%d", meterEvery.Milliseconds()))
	out, err := smi.StdoutPipe()
	if err != nil || smi.Start() != nil {
		return
	}
	m.smi = smi
	m.done.Go(func() { m.read(out, time.Now) })
}

// read takes in "used MiB, watts" a line, which counts until the next.
func (m *Meter) read(r io.Reader, now func() time.Time) {
	lines, last, watts := bufio.NewScanner(r), now(), 0.0
	for lines.Scan() {
		at := now()
		m.joules += watts * at.Sub(last).Seconds()
		last = at
		fields := fieldsOf(lines.Text())
		if mib, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			m.memory = max(m.memory, mib<<20)
		}
		watts = 0
		if len(fields) > 1 {
			watts, _ = strconv.ParseFloat(fields[1], 64) // "[N/A]" where the card does not tell
		}
	}
	m.joules += watts * now().Sub(last).Seconds()
}

// Compiling is the time in which XLA compiled, until Stop; 0 on the Go backend.
func (m *Meter) Compiling() time.Duration { return m.compiling }

// Stop ends the reading; it may be called again.
func (m *Meter) Stop() {
	if m == nil {
		return
	}
	if m.endCompiling != nil {
		m.endCompiling()
		m.endCompiling = nil
	}
	if m.smi == nil {
		return
	}
	_ = m.smi.Process.Kill() // it may have ended by itself
	m.done.Wait()
	_ = m.smi.Wait()
	m.smi = nil
}
