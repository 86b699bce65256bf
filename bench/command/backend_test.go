package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/metrics/kernel"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/training/encoder"
)

func TestBackendConfig(t *testing.T) {
	plugin := inFile(t, "xla_cuda_plugin.so", "no plugin")
	plain := inFile(t, "pjrt_c_api_tpu_plugin.so", "no plugin")
	comma := inFile(t, "a,b.so", "")
	for dev, want := range map[string]string{
		"go": "go:parallelism=-1", "xla:cpu": "xla:cpu", "xla:cuda": "xla:cuda,tf32=false", "xla:cuda:3": "xla:cuda,tf32=false,visible_devices=3",
		plugin: "xla:" + plugin + ",tf32=false", "xla:" + plugin: "xla:" + plugin + ",tf32=false", plain: "xla:" + plain,
	} {
		if got, err := device.BackendConfig(dev); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", dev, got, err, want)
		}
	}
	for dev, want := range map[string]string{
		"xla:cudda": `did you mean "xla:cuda"?`, "cuda": "unknown device", "": "unknown device", "xla:cuda:": "a card's number", "xla:cuda:01": "a card's number", comma: "not contain a comma",
		filepath.Dir(comma): "no PJRT plugin there", plugin + "x": "no PJRT plugin there",
	} {
		if got, err := device.BackendConfig(dev); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q", dev, got, err, want)
		}
	}
}

// The error for a device that cannot be opened gives the reason, in every build, and nothing
// is downloaded.
func TestDeviceErrors(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir())
	model, data := writeEncoder(t, ""), writeFiles(t, zoo)
	want := "built without XLA"
	if device.BuiltWithXLA {
		want = "open device"
	}
	for _, device := range []string{"xla:cpu", inFile(t, "plugin.so", "no plugin")} {
		verbFails(t, exitFailure, want, "evaluate", "--model", model, "--data", data, "--device", device, "--out", filepath.Join(t.TempDir(), "out"))
	}
	verbFails(t, usage.ExitUsage, `unknown device "gpu"`, "evaluate", "--model", model, "--data", data, "--device", "gpu")
	if left, err := os.ReadDir(os.Getenv("HOME")); err != nil || len(left) > 0 {
		t.Errorf("files in the home folder: %v, %v", left, err)
	}
}

// The device is part of provenance.
func TestDeviceInProvenance(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	verbOutput(t, "evaluate", "--model", writeEncoder(t, ""), "--data", writeFiles(t, zoo), "--device", "go", "--out", out)
	data, err := os.ReadFile(filepath.Join(out, results.ProvenanceFile))
	if err != nil || !strings.Contains(string(data), fmt.Sprintf("%q: %q", "backend", device.BackendName(device.GoBackend, encoder.Float32))) {
		t.Errorf("provenance %s, %v", data, err)
	}
}

// A command leaves the kernel set as it was.
func TestKernelsAreKept(t *testing.T) {
	before := kernel.Name()
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "mini-bright", "--task", "nature", "--kernels", kernel.Portable, "--out", filepath.Join(t.TempDir(), "x"))
	if got := kernel.Name(); got != before {
		t.Errorf("the kernels are %s, were %s", got, before)
	}
}
