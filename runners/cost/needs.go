package cost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"infbench/internal/memory"
	"infbench/runners/device"
)

// span is an estimated range.
type span struct{ low, high float64 }

func (s span) plus(t span) span     { return span{s.low + t.low, s.high + t.high} }
func (s span) times(x float64) span { return span{s.low * x, s.high * x} }

// around is the range of x with an error factor in either direction.
func around(x, factor float64) span { return span{x / factor, x * factor} }

// needs are the costs of one cell or of several.
type needs struct {
	seconds span
	kept    span // bytes on disk afterwards
	scratch span // temporary bytes on disk, for the largest cell
	memory  span // bytes on the device, for the largest cell
	source  string
	name    string // the largest cell
}

func (n needs) plus(m needs) needs {
	n.seconds, n.kept = n.seconds.plus(m.seconds), n.kept.plus(m.kept)
	n.scratch.low, n.scratch.high = max(n.scratch.low, m.scratch.low), max(n.scratch.high, m.scratch.high)
	return n
}

// machineLoad returns the number of processes that want a processor, and whether there are more
// than processors. It returns zeros if the system does not report it.
func machineLoad() (load float64, busy bool) {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	if _, err := fmt.Sscan(string(data), &load); err != nil {
		return 0, false
	}
	return load, load > 1.5*float64(runtime.NumCPU())
}

// sentences formats the needs.
func (n needs) sentences(ctx context.Context, o Options, largest needs, counted map[string]int, dir string) []string {
	var from []string
	for _, source := range []string{fromFinished, fromRecorded, fromShape} {
		if counted[source] > 0 {
			from = append(from, fmt.Sprintf("%s for %d", source, counted[source]))
		}
	}
	out := []string{fmt.Sprintf("time: %s, one cell after another (from %s)", n.seconds.text(durationText), strings.Join(from, ", from "))}
	disk := fmt.Sprintf("disk: %s kept", n.kept.text(sizeText))
	if n.scratch.high > 0 {
		disk += fmt.Sprintf(", and %s for checkpoints, the last and the next, of %d at a time", n.scratch.times(float64(o.Workers)).text(sizeText), o.Workers)
	}
	if free, ok := freeBytes(dir); ok {
		disk += fmt.Sprintf("; %s are free", sizeText(free))
		if n.kept.low+n.scratch.low*float64(o.Workers) > free {
			disk += ": too little"
		}
	}
	out = append(out, disk)
	if largest.memory.high == 0 {
		return out
	}
	dev := fmt.Sprintf("device: %s computes; the largest cell (%s) takes %s of its memory", o.Device, largest.name, largest.memory.text(sizeText))
	if device.OnHost(o.Device) {
		have := float64(memory.Bound())
		dev += fmt.Sprintf(", this machine has %s", sizeText(have))
		if largest.memory.low > have {
			dev += ": too little, it needs an accelerator with more"
		}
	} else if have, told := device.CardMemory(ctx, o.Device); have > 0 {
		dev += fmt.Sprintf(", which gives %s (%s)", sizeText(float64(have)), told)
		if largest.memory.low > float64(have) {
			dev += ": too little, it can be trained only in smaller chunks, if at all"
		}
	}
	out = append(out, dev)
	if offer := device.OfferCPU(); offer != "" && o.Device == device.GoDevice {
		out = append(out, "device: "+offer)
	}
	return out
}

// text is "1h to 3h", or one of the two if they print alike.
func (s span) text(print func(float64) string) string {
	low, high := print(s.low), print(s.high)
	if low == high {
		return low
	}
	return low + " to " + high
}

// durationText formats a time in its two largest units.
func durationText(s float64) string {
	switch {
	case s < 60:
		return fmt.Sprintf("%.0f s", math.Ceil(s))
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 72*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	case s < 1000*24*3600:
		return fmt.Sprintf("%.0f days", s/(24*3600))
	}
	return fmt.Sprintf("%.0f years", s/(365.25*24*3600))
}

// sizeText formats an amount of memory.
func sizeText(b float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if b >= unit.size {
			return fmt.Sprintf("%.3g %s", b/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f KiB", math.Ceil(b/1024))
}

// freeBytes is the free space below a folder that may not exist yet.
func freeBytes(dir string) (float64, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return 0, false
	}
	for {
		var st unix.Statfs_t
		err := unix.Statfs(dir, &st)
		if err == nil {
			return float64(st.Bavail) * float64(st.Bsize), true
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, unix.ENOENT) || parent == dir {
			return 0, false
		}
		dir = parent
	}
}
