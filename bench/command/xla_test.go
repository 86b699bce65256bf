//go:build xla

package command

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// hostSweep trains so briefly that rounding stays rounding.
const hostSweep = `
name: hosts
base:
  data: mini-infir
  loss: uni(P)
  train: {epochs: 0, steps: %d, rows_per_group: 12, groups: 2, lr: 1e-3}
matrix: {seed: [1, 2, 3, 4, 5, 6]}
evaluate: [mini-bright]
`

// swept runs an experiment file and returns the experiment's complete trials.
func swept(t *testing.T, file, folder string, flags ...string) (trials []results.Trial) {
	t.Helper()
	out, err := infbench(t, append([]string{"sweep", file, "--runs", folder}, flags...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := runs.At(filepath.Join(folder, "hosts"))
	plan, err := at.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, planned := range plan.Trials {
		trial := results.Trial{ID: planned.ID}
		if err := at.Trial(planned.ID).Reader().Trial(&trial); err != nil {
			t.Fatal(err)
		}
		if trial.State == results.Done {
			trials = append(trials, trial)
		}
	}
	return trials
}

// A sweep over two and over four devices of XLA on processors trains a trial on each, and gets
// the results of the Go backend apart from rounding.
func TestXLASweep(t *testing.T) {
	plugin, folder := testkit.HostPlugin(t), t.TempDir()
	file := inFile(t, "hosts.yaml", fmt.Sprintf(hostSweep, 5))
	want := map[string]results.Trial{}
	for _, trial := range swept(t, file, filepath.Join(folder, "go")) {
		want[trial.ID] = trial
	}
	done := map[string]bool{}
	for _, c := range []struct {
		devices int
		seeds   string
	}{{2, "seed=1,2"}, {4, "seed=3,4,5,6"}} {
		var names []string
		for n := range c.devices {
			names = append(names, fmt.Sprintf("xla:%s:%d", plugin, n))
		}
		used := map[string]bool{}
		for _, trial := range swept(t, file, filepath.Join(folder, fmt.Sprint(c.devices)), "--devices", strings.Join(names, ","), "--only", c.seeds) {
			used[trial.Provenance.Backend], done[trial.ID] = true, true
			near(t, trial, want[trial.ID])
			if a := trial.Provenance.Accelerator; a == nil || a.Plugin != plugin || a.Programs == 0 {
				t.Errorf("%s: the accelerator is %+v", trial.ID, a)
			}
		}
		if len(used) != c.devices {
			t.Errorf("%d devices: used %v", c.devices, slices.Sorted(maps.Keys(used)))
		}
	}
	if len(done) != len(want) || len(done) != 6 {
		t.Errorf("%d trials on XLA's devices, %d on the Go backend, want 6", len(done), len(want))
	}
}

// near compares the curves and the means of measures of a trial on two backends.
func near(t *testing.T, got, want results.Trial) {
	t.Helper()
	if len(got.Curve) != len(want.Curve) || len(got.Curve) == 0 {
		t.Fatalf("%s: %d steps, want %d", got.ID, len(got.Curve), len(want.Curve))
	}
	for i, s := range got.Curve {
		if d := math.Abs(s.Loss - want.Curve[i].Loss); !(d <= 1e-4) {
			t.Errorf("%s: the loss of step %d is %g, want %g", got.ID, i+1, s.Loss, want.Curve[i].Loss)
		}
	}
	means, wanted := hostMeans(got), hostMeans(want)
	if len(means) == 0 || len(means) != len(wanted) {
		t.Errorf("%s: %d measures, want %d", got.ID, len(means), len(wanted))
	}
	for name, mean := range means {
		if d := math.Abs(mean - wanted[name]); !(d <= .02) {
			t.Errorf("%s: %s is %g, want %g", got.ID, name, mean, wanted[name])
		}
	}
}

// hostMeans are the means of the measures of a trial, over all queries that have a value.
func hostMeans(trial results.Trial) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, r := range trial.Results {
		if r.Value != nil {
			sums[r.Measure], n[r.Measure] = sums[r.Measure]+*r.Value, n[r.Measure]+1
		}
	}
	for name := range sums {
		sums[name] /= n[name]
	}
	return sums
}

// A sweep on XLA that is killed in the middle of a training goes on from its checkpoint and ends
// with the curve, weights and results of an undisturbed one.
func TestXLASweepIsKilled(t *testing.T) {
	plugin, folder := testkit.HostPlugin(t), t.TempDir()
	const steps, saved = 60, 6
	file := inFile(t, "hosts.yaml", fmt.Sprintf(hostSweep, steps))
	flags := []string{"--device", "xla:" + plugin, "--only", "seed=1", "--checkpoint-every", "2"}
	whole := swept(t, file, filepath.Join(folder, "whole"), flags...)
	if len(whole) != 1 {
		t.Fatalf("%d trials, want 1", len(whole))
	}
	cut := filepath.Join(folder, "cut")
	cmd := infbench(t, append([]string{"sweep", file, "--runs", cut}, flags...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	dir := filepath.Join(cut, "hosts")
	for savedSteps(t, dir, whole[0].ID, steps) < saved {
		select {
		case err := <-ended:
			t.Fatalf("ended before the kill: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	killSession(t, cmd.Process.Pid)
	<-ended
	at := savedSteps(t, dir, whole[0].ID, steps)
	if at < saved || at >= steps {
		t.Fatalf("killed after step %d of %d", at, steps)
	}
	again := swept(t, file, cut, flags...)
	if len(again) != 1 || fmt.Sprint(again[0].Curve) != fmt.Sprint(whole[0].Curve) || again[0].Weights != whole[0].Weights || !reflect.DeepEqual(again[0].Results, whole[0].Results) {
		t.Errorf("killed after step %d, the trial ends with another curve, other weights or other results", at)
	}
}
