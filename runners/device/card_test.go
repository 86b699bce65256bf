package device

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infbench/runners/results"
)

// A meter keeps the peak memory and integrates power over the time until the next line.
func TestMeterReads(t *testing.T) {
	clock, ticks := time.Unix(0, 0), -1
	var m Meter
	m.read(strings.NewReader("100, 50.00\n400, 100.00\n[N/A], [N/A]\n300, 25.5\n"), func() time.Time {
		ticks++
		return clock.Add(time.Duration(ticks) * 2 * time.Second)
	})
	if want := 2 * (50 + 100 + 0 + 25.5); m.memory != 400<<20 || math.Abs(m.joules-want) > 1e-9 {
		t.Errorf("%d bytes, %g J; want 400 MiB and %g J", m.memory, m.joules, want)
	}
}

// fakeSMI puts an nvidia-smi on the path that describes a card and, in a loop, its use. It logs
// its arguments.
func fakeSMI(t *testing.T) (asked string) {
	t.Helper()
	bin := t.TempDir()
	asked = filepath.Join(bin, "asked")
	script := fmt.Sprintf(`#!/bin/sh
echo "$@" >> "%[1]s"
case "$*" in
*loop*) for i in 1 2 3; do echo "2048, 300.00"; sleep 0.05; done; : > "%[1]s.told"; while :; do sleep 0.05; done ;;
*) echo "NVIDIA H200, 580.65.06, 143771" ;;
esac
`, asked)
	if err := os.WriteFile(filepath.Join(bin, nvidiaSMI), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return asked
}

func TestCard(t *testing.T) {
	asked := fakeSMI(t)
	t.Setenv("CUDA_VISIBLE_DEVICES", "GPU-aa,GPU-bb")
	card, err := findCard(t.Context(), Target{kind: XlaCUDA, card: 1})
	if want := (Card{"NVIDIA H200", "580.65.06", 143771 << 20}); err != nil || card != want {
		t.Errorf("%+v, %v; want %+v", card, err, want)
	}
	if data, err := os.ReadFile(asked); err != nil || !strings.Contains(string(data), "--id=GPU-bb") {
		t.Errorf("asked %s, %v; the second of the visible cards", data, err)
	}
}

// Three quarters of a card's memory are taken unless an option says otherwise; other devices
// report none.
func TestCardMemory(t *testing.T) {
	fakeSMI(t)
	for device, want := range map[string]int64{
		"xla:cuda": 143771 << 20 / 4 * 3, "xla:cuda:1,memory_fraction=0.5": 143771 << 20 / 2, "xla:cpu": 0, "go": 0, "cuda": 0,
	} {
		got, told := CardMemory(t.Context(), device)
		if got != want || (told == "") != (want == 0) {
			t.Errorf("%s: %d bytes, %q; want %d", device, got, told, want)
		}
	}
	for device, want := range map[string]string{"xla:cuda": "memory_fraction=0.75 of NVIDIA H200", "xla:cuda,memory_fraction=0.9": "memory_fraction=0.9 of NVIDIA H200"} {
		if _, told := CardMemory(t.Context(), device); told != want {
			t.Errorf("%s, want %s", told, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got, told := CardMemory(t.Context(), "xla:cuda"); got != 0 || told != "" {
		t.Errorf("without nvidia-smi: %d bytes, %q", got, told)
	}
}

// A meter reads a card from opening to the end, and provenance keeps the readings. A device
// that was never opened has none.
func TestMeter(t *testing.T) {
	asked := fakeSMI(t)
	o := Options{Device: XlaCUDA, Meter: &Meter{}}
	var p results.Provenance
	if err := o.Account(&p); err != nil || p.Accelerator != nil {
		t.Errorf("of a device that nobody opened: %+v, %v", p.Accelerator, err)
	}
	o.Meter.start(Target{kind: XlaCUDA, card: anyCard})
	for range 6000 { // until three lines are in the pipe
		if time.Sleep(10 * time.Millisecond); exists(asked + ".told") {
			break
		}
	}
	o.Meter.Stop()
	if o.Meter.memory != 2<<30 || o.Meter.joules <= 0 {
		t.Errorf("%d bytes, %g J", o.Meter.memory, o.Meter.joules)
	}
	o.Meter.Stop()
	host := Options{Device: GoDevice, Meter: &Meter{}}
	if b, err := host.Open(); err != nil {
		t.Error(err)
	} else {
		b.Finalize()
	}
	if err := host.Account(&p); err != nil || p.Accelerator != nil {
		t.Errorf("of the Go backend: %+v, %v", p.Accelerator, err)
	}
}
