package command

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"infbench/internal/usage"
	"infbench/runners/engine"
)

// Trials use the devices in turn, one at a time on each, and know their device.
func TestTrialsTakeTurnsOnDevices(t *testing.T) {
	o := sweepOptions{devices: []string{"xla:cuda:0", "xla:cuda:3"}, where: engineOptions{engine: "local"}}
	if err := o.checkDevices(); err != nil || o.workers != 2 {
		t.Fatalf("%v, %d workers; want 2", err, o.workers)
	}
	process := o.trialProcess("infbench", "runs/x", 3)
	for slot, want := range []string{"xla:cuda:0", "xla:cuda:3", "xla:cuda:0"} {
		program, args := process(engine.Job{ID: "ab"}, slot)
		at := slices.Index(args, "--device")
		if program != "infbench" || !slices.Equal(args[:3], []string{"trial", "runs/x", "--stay"}) || at < 0 || args[at+1] != want {
			t.Errorf("slot %d: %s %v, want device %s", slot, program, args, want)
		}
	}
}

// A card has one trial at a time unless more are asked for, processors have as many trials as
// processors, and a cluster assigns its own cards.
func TestOneTrialACard(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, runtime.NumCPU()},
		{[]string{"--device", "xla:cpu"}, runtime.NumCPU()},
		{[]string{"--device", "xla:cuda"}, 1},
		{[]string{"--device", "xla:cuda:1"}, 1},
		{[]string{"--device", "xla:cuda", "--workers", "3"}, 3},
		{[]string{"--devices", "xla:cuda:0,xla:cuda:1,xla:cuda:2"}, 3},
		{[]string{"--devices", "xla:cuda:0,xla:cuda:1", "--workers", "4"}, 4},
		{[]string{"--device", "xla:cuda", "--engine", "slurm"}, runtime.NumCPU()},
	} {
		var o sweepOptions
		cmd := &cobra.Command{}
		o.register(cmd)
		if err := errors.Join(cmd.ParseFlags(c.args), o.check()); err != nil || o.workers != c.want {
			t.Errorf("%v: %d trials at a time, want %d, %v", c.args, o.workers, c.want, err)
		}
	}
}

func TestSweepDevices(t *testing.T) {
	file, runs := inFile(t, "quick.yaml", quickSweep), t.TempDir()
	for want, args := range map[string][]string{
		"xla:cuda:0 given twice":              {"--devices", "xla:cuda:0,xla:cuda:0"},
		"give different last digits":          {"--devices", "go,xla:cuda:0"},
		"either --device or --devices":        {"--devices", "go", "--device", "go"},
		`unknown device "cuda"`:               {"--devices", "cuda"},
		"want a card's number":                {"--devices", "xla:cuda:x"},
		"--devices is for --engine local":     {"--devices", "go", "--engine", "slurm"},
		"--workers: want at least 1, found 0": {"--devices", "go", "--workers", "0"},
	} {
		verbFails(t, usage.ExitUsage, want, append([]string{"sweep", file, "--runs", runs}, args...)...)
	}
	verbOutput(t, "sweep", file, "--runs", runs, "--devices", "go")
	if out := verbOutput(t, "status", runs+"/quick"); out != "quick: 1 done, 0 running, 0 failed, 0 waiting\n" {
		t.Errorf("status printed %s", out)
	}
}
