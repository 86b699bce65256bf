package gpucheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stage is a kit whose programs are scripts: the script is tried, not what it calls.
func stage(t *testing.T, golden string) (kit, out string) {
	t.Helper()
	kit, out = t.TempDir(), filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{
		"infbench": `#!/bin/sh
echo "infbench $*" >> "$OUT/called"
case "$*" in
*--environment) echo "XLA_FLAGS=--a=b --c=d" ;;
open-device*broken) echo "infbench: device $2: no card" >&2; exit 1 ;;
open-device*) printf 'device  %s\nconfig  xla:/p.so,tf32=false\n' "$2" ;;
esac`,
		"encoder.test":  "#!/bin/sh\necho \"encoder $INFBENCH_DEVICE $XLA_FLAGS $INFBENCH_SHARED\" >> \"$OUT/called\"\necho '--- PASS: TestGoldens'\n",
		"training.test": "#!/bin/sh\necho '--- PASS: TestAdamW'\n" + golden,
	} {
		if err := os.WriteFile(filepath.Join(kit, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(kit, os.DirFS("kit")); err != nil {
		t.Fatal(err)
	}
	return kit, out
}

// runKit runs the script and returns what it printed and what it called.
func runKit(t *testing.T, kit, out string, args ...string) (said, called string, err error) {
	t.Helper()
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", append([]string{filepath.Join(kit, "gpu-check")}, args...)...)
	cmd.Env = append(os.Environ(), "OUT="+out)
	text, err := cmd.CombinedOutput()
	list, _ := os.ReadFile(filepath.Join(out, "called"))
	return string(text), string(list), err
}

// The kit opens the device, runs goldens on it with the variables it needs, and sweeps
// there and on the processors.
func TestKitChecks(t *testing.T) {
	kit, out := stage(t, "")
	said, called, err := runKit(t, kit, out, "check", "xla:cuda:1")
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, want := range []string{
		"infbench open-device xla:cuda:1\n", "encoder xla:/p.so,tf32=false --a=b --c=d " + kit + "/shared\n",
		"infbench sweep " + kit + "/card.yaml --runs " + out + "/runs/card --device xla:cuda:1\n", "infbench sweep " + kit + "/card.yaml --runs " + out + "/runs/processors\n",
		"infbench diff ", "infbench repeat " + out + "/runs/card/card multi:P+I --device xla:cuda:1\n",
	} {
		if !strings.Contains(called, want) {
			t.Errorf("want %q in\n%s", want, called)
		}
	}
	if !strings.Contains(said, "1 passed, 0 skipped") || strings.Contains(said, "FAILED") {
		t.Errorf("said %s", said)
	}
}

// A golden that fails does not stop the rest, and is told at the end; a device that does
// not open stops it.
func TestKitFails(t *testing.T) {
	kit, out := stage(t, "echo '--- FAIL: TestTrainingGoldens'; exit 1\n")
	said, called, err := runKit(t, kit, out, "check")
	if err == nil || !strings.Contains(said, "FAILED (1): --- FAIL: TestTrainingGoldens") || !strings.Contains(called, "repeat") {
		t.Errorf("%v: %s\n%s", err, said, called)
	}
	out = filepath.Join(t.TempDir(), "out")
	said, called, err = runKit(t, kit, out, "speed", "broken")
	if err == nil || !strings.Contains(said, "device broken: no card") || strings.Contains(called, "gpu-check") {
		t.Errorf("%v: %s\n%s", err, said, called)
	}
	if said, _, err = runKit(t, kit, out, "sped"); err == nil || !strings.Contains(said, "./gpu-check check [DEVICE]") {
		t.Errorf("%v: %s", err, said)
	}
}
