package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/training/encoder"
)

// TestPlanEstimates: times come from finished cells of the same network if there are any, in
// proportion to the epochs, else from a measurement, and the plan names the source.
func TestPlanEstimates(t *testing.T) {
	const source = "name: small\nbase: {train: {rows_per_group: 240}}\nmatrix: {train.epochs: [1, 3]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	file, folder := inFile(t, "small.yaml", source), t.TempDir()
	out := verbOutput(t, "plan", file, "--runs", folder)
	for _, want := range []string{"3 trials, 3 to run; 2 train, 1 are baselines", "this build's speed just now for 3", "disk: ", "are free", "device: go computes", "(tiny-bert)"} {
		if !strings.Contains(out, want) {
			t.Errorf("plan printed\n%s\nwithout %q", out, want)
		}
	}
	plan, err := new(narrowing).plan(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, seconds := range []float64{0, 60, 10} { // the first has yet to run: a third of 60 s of training, and 10 s for the rest
		if i == 0 {
			continue
		}
		p := results.Provenance{Seconds: map[string]float64{"total": seconds + 10, "train": seconds}}
		if err := runs.At(filepath.Join(folder, "small")).Trial(plan.Trials[i].ID).Writer().Complete(runs.Config(&plan.Trials[i]), nil, p); err != nil {
			t.Fatal(err)
		}
	}
	plugins := t.TempDir()
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", plugins)
	if strings.Contains(verbOutput(t, "plan", file, "--runs", folder), "xla:cpu") {
		t.Error("plan offers a device that is not here")
	}
	writeFile(t, filepath.Join(plugins, "pjrt_c_api_cpu_plugin.so"), "")
	out = verbOutput(t, "plan", file, "--runs", folder)
	if !strings.Contains(out, "device: --device xla:cpu also computes on the processors, with XLA's plugin "+plugins) {
		t.Errorf("plan does not offer XLA's plugin:\n%s", out)
	}
	if !strings.Contains(out, "time: 20 s to 45 s, one cell after another (from finished cells of this folder for 1)") {
		t.Errorf("with finished cells plan printed\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(folder, "small", runs.PlanFile)); err == nil {
		t.Error("plan froze a plan")
	}
}

// TestPlanFromRecordedRuns: without similar finished cells, a cell's time comes from records
// of its network in other run folders, if they are from this device.
func TestPlanFromRecordedRuns(t *testing.T) {
	source := func(name, loss string) string {
		return "name: " + name + "\nbase: {loss: " + loss + ", train: {rows_per_group: 240}}\nevaluate: [mini-bright]"
	}
	file := inFile(t, "small.yaml", source("small", "uni(P)"))
	for backend, want := range map[string]string{
		device.BackendName(device.GoBackend, encoder.Float32): "from recorded runs of the same network and device for 1",
		"xla:cuda,tf32=false": "this build's speed just now for 1",
	} {
		folder := t.TempDir()
		plan, err := new(narrowing).plan(inFile(t, "other.yaml", source("other", "uni(I)")))
		if err != nil {
			t.Fatal(err)
		}
		other := runs.At(filepath.Join(folder, "other"))
		if err := plan.Write(other.PlanPath()); err != nil {
			t.Fatal(err)
		}
		p := results.Provenance{Backend: backend, Seconds: map[string]float64{"total": 70, "train": 60, "evaluate": 10}}
		if err := other.Trial(plan.Trials[0].ID).Writer().Complete(runs.Config(&plan.Trials[0]), nil, p); err != nil {
			t.Fatal(err)
		}
		if out := verbOutput(t, "plan", file, "--runs", folder); !strings.Contains(out, want) {
			t.Errorf("with a run on %s plan printed\n%s\nwithout %q", backend, out, want)
		}
	}
}

func TestPlanDiffVerb(t *testing.T) {
	const source = "name: small\nbase: {train: {lr: 0.001}}\nmatrix: {seed: [1, 2]}\nbaselines: [bm25]\nevaluate: [mini-bright]"
	folder := t.TempDir()
	plan, err := new(narrowing).plan(inFile(t, "small.yaml", source))
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(filepath.Join(folder, "small", runs.PlanFile)); err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("0.001", "0.002", "[1, 2]", "[2, 3]", "[bm25]", "[bm25, constant]").Replace(source)
	out := verbOutput(t, "plan", inFile(t, "changed.yaml", changed), "--runs", folder, "--diff")
	for _, want := range []string{"uni(P) seed=2: train.lr: 0.001 -> 0.002", "+ ", "uni(P) seed=3", "constant", "- " + plan.Trials[0].ID, "2 added, 1 dropped, 1 altered, 1 as before"} {
		if !strings.Contains(out, want) {
			t.Errorf("plan --diff printed\n%s\nwithout %q", out, want)
		}
	}
}
