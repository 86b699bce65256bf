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

// nvidiaSMI is NVIDIA's command that describes its cards.
const nvidiaSMI = "nvidia-smi"

// Card is an NVIDIA card as nvidia-smi describes it.
type Card struct {
	Name, Driver string
	Memory       int64 // bytes
}

// findCard asks nvidia-smi for the card of a device.
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

// cardID returns nvidia-smi's identifier for the card of a device. CUDA numbers only the cards
// that CUDA_VISIBLE_DEVICES lists.
func (t Target) cardID() string {
	n := max(t.card, 0)
	if visible := os.Getenv("CUDA_VISIBLE_DEVICES"); visible != "" {
		if list := strings.Split(visible, ","); n < len(list) {
			return strings.TrimSpace(list[n])
		}
	}
	return strconv.Itoa(n)
}

// usualFraction is the part of a card's memory that XLA's client takes at most when
// memory_fraction is not set. The rest stays idle.
const usualFraction = 0.75

// CardMemory returns how many bytes of a card's memory an XLA device may take, and a text that
// explains the number. It returns 0 if nvidia-smi does not report the card or the device is not
// a card.
func CardMemory(ctx context.Context, device string) (most int64, basis string) {
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

// fieldsOf splits a line of nvidia-smi's output.
func fieldsOf(line string) []string {
	list := strings.Split(line, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// meterEvery is the interval between readings of a card in use.
const meterEvery = 500 * time.Millisecond

// Meter reads the memory and power of a card from the moment its device is opened. The zero
// Meter is ready for use.
type Meter struct {
	target Target
	opened bool
	smi    *exec.Cmd // nil: nothing can be read from this device
	done   sync.WaitGroup

	compiled     Compiled
	endCompiling func() // nil: programs are not counted

	memory int64   // peak use in bytes
	joules float64 // power integrated over time; 0 if the card does not report it
}

// start begins to read the card of a device. It does nothing if the device is not an NVIDIA
// card, if nvidia-smi is missing, or if the meter is already running.
func (m *Meter) start(t Target) {
	if m == nil || m.opened {
		return
	}
	m.target, m.opened = t, true
	if t.kind != GoDevice {
		m.endCompiling = timeCompiling(&m.compiled)
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

// read parses lines of "used MiB, watts". Each line counts until the next one.
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
			watts, _ = strconv.ParseFloat(fields[1], 64) // "[N/A]" if the card does not report it
		}
	}
	m.joules += watts * now().Sub(last).Seconds()
}

// Compiled is what XLA compiled in a process.
type Compiled struct {
	Programs int
	Time     time.Duration
}

// Compiled returns what XLA compiled before Stop; the Go backend compiles nothing.
func (m *Meter) Compiled() Compiled { return m.compiled }

// Stop ends the readings. It may be called again.
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
	_ = m.smi.Process.Kill() // it may have exited already
	m.done.Wait()
	_ = m.smi.Wait()
	m.smi = nil
}
