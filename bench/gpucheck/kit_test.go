package gpucheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// trainingProgram is a script that prints text for TestAdamW. For other arguments it passes a
// test and runs the commands of golden.
func trainingProgram(golden, text string) string {
	return `#!/bin/sh
echo "training $*" >> "$OUT/called"
case "$*" in
*TestAdamW*)
	cat <<'END'
` + text + `
END
	;;
*)
	echo '--- PASS: TestTrainLearns'
	` + golden + `
	;;
esac
`
}

// stage makes a kit with scripts as programs: the tests check the kit's script, not its
// programs.
func stage(t *testing.T, golden string) (kit, out string) {
	t.Helper()
	kit, out = t.TempDir(), filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{
		"infbench": `#!/bin/sh
echo "infbench $*" >> "$OUT/called"
case "$*" in
*--environment) echo "XLA_FLAGS=--a=b --c=d" ;;
open-device*broken) echo "infbench: device $2: no card" >&2; exit 1 ;;
gpu-check*slow*) echo "infbench train 1 s"; exit 124 ;;
open-device*) printf 'device  %s\nconfig  xla:/p.so,tf32=false\n' "$2" ;;
"repeat $OUT/runs/processors/card multi:P+I --device other") echo "infbench: trial 68 (multi(P,I)): 3 of 4 means differ by more than 0.02" >&2; exit 1 ;;
esac`,
		"encoder.test":  "#!/bin/sh\necho \"encoder $INFBENCH_DEVICE $XLA_FLAGS $INFBENCH_SHARED\" >> \"$OUT/called\"\necho '--- PASS: TestGoldens'\n",
		"training.test": trainingProgram(golden, "--- PASS: TestAdamW"),
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

// runKit runs the script and returns its output and the programs that it called.
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

// TestKitChecks: the kit opens the device, runs goldens on it with the variables that it needs,
// and sweeps on the device and on the processors.
func TestKitChecks(t *testing.T) {
	kit, out := stage(t, "")
	said, called, err := runKit(t, kit, out, "check", "xla:cuda:1")
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, want := range []string{
		"infbench open-device xla:cuda:1\n", "encoder xla:/p.so,tf32=false --a=b --c=d " + kit + "/shared\n",
		"infbench sweep " + kit + "/card.yaml --runs " + out + "/runs/card --device xla:cuda:1\n", "infbench sweep " + kit + "/card.yaml --runs " + out + "/runs/processors\n",
		"training -test.v -test.run ^(TestAdamW.*)$\n",
		"infbench diff ", "infbench repeat " + out + "/runs/card/card multi:P+I --device xla:cuda:1\n",
		"infbench repeat " + out + "/runs/processors/card uni:P --device xla:cuda:1\n",
	} {
		if !strings.Contains(called, want) {
			t.Errorf("want %q in\n%s", want, called)
		}
	}
	if !strings.Contains(said, "1 run, 1 passed, 0 skipped") || strings.Contains(said, "FAILED") {
		t.Errorf("said %s", said)
	}
}

// TestKitFails: a golden that fails does not stop the rest and is reported at the end. A device
// that does not open stops the script.
func TestKitFails(t *testing.T) {
	kit, out := stage(t, "echo '--- FAIL: TestTrainingGoldens'; exit 1\n")
	said, called, err := runKit(t, kit, out, "check")
	if err == nil || !strings.Contains(said, "FAILED (1): --- FAIL: TestTrainingGoldens") || !strings.Contains(called, "repeat") {
		t.Errorf("%v: %s\n%s", err, said, called)
	}
	kit, out = stage(t, "")
	said, _, err = runKit(t, kit, out, "check", "other") // this device computes, but is not a processor
	if err == nil || !regexp.MustCompile(`held-multi .*FAILED \(1\): .* 3 of 4 means differ`).MatchString(said) || !regexp.MustCompile(`held-uni .* ok\n`).MatchString(said) {
		t.Errorf("%v: %s", err, said)
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

// TestKitMeasuresSpeed: speed is measured first on texts of one length, which compile fast. A
// shape that runs out of time has its figures in the summary and does not stop the next one.
func TestKitMeasuresSpeed(t *testing.T) {
	kit, out := stage(t, "")
	said, called, err := runKit(t, kit, out, "speed", "slow")
	if err == nil || strings.Count(said, "\ninfbench train 1 s\n") != 4 || strings.Count(said, "FAILED (124)") != 4 {
		t.Errorf("%v: %s", err, said)
	}
	var shapes []string
	for _, m := range regexp.MustCompile(`gpu-check --device slow --shape (.*)\n`).FindAllStringSubmatch(called, -1) {
		shapes = append(shapes, m[1])
	}
	if want := []string{"e5-base --length 64", "llama-3.2-1b --length 64", "e5-base", "llama-3.2-1b"}; !slices.Equal(shapes, want) {
		t.Errorf("measured %q, want %q", shapes, want)
	}
}

// TestKitWantsGoldensThatPass: goldens fail if none of them passes. Goldens whose parts are all
// skipped prove nothing.
func TestKitWantsGoldensThatPass(t *testing.T) {
	for text, passes := range map[string]bool{
		"": false,
		"testing: warning: no tests to run\nPASS": false,
		"--- SKIP: TestGoldens (0.00s)":           false,
		"--- PASS: TestGoldens (0.00s)\n    --- SKIP: TestGoldens/bert (0.00s)\n        --- SKIP: TestGoldens/bert/mean (0.00s)": false,
		"--- PASS: TestGoldens (0.00s)\n    --- SKIP: TestGoldens/bert (0.00s)\n    --- PASS: TestGoldens/t5 (0.00s)":            true,
	} {
		kit, out := stage(t, "")
		if err := os.WriteFile(filepath.Join(kit, "training.test"), []byte(trainingProgram("", text)), 0o755); err != nil {
			t.Fatal(err)
		}
		said, _, err := runKit(t, kit, out, "check")
		if (err == nil) != passes || strings.Contains(said, "FAILED: no test passed") == passes {
			t.Errorf("%q: %v: %s", text, err, said)
		}
	}
}

// TestKitRunsTestsThatThereAre: each alternative in the script's test patterns names a test of
// the package that its program is built from.
func TestKitRunsTestsThatThereAre(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	packages := map[string]string{}
	for _, m := range regexp.MustCompile(`\$\(TEST_PROGRAM\)(\S+) (\S+)`).FindAllStringSubmatch(read("../../Makefile"), -1) {
		packages[m[1]] = filepath.Join("..", "..", m[2])
	}
	runs := regexp.MustCompile(`\bgoldens \S+ (\S+\.test)((?:[ \t\\\n]+'[^']*')+)`).FindAllStringSubmatch(read("kit/gpu-check"), -1)
	used := map[string]bool{}
	for _, run := range runs {
		used[run[1]] = true
	}
	if len(runs) < 3 || len(used) != len(packages) {
		t.Fatalf("%d runs of %d programs, %d programs are built", len(runs), len(used), len(packages))
	}
	for _, run := range runs {
		files, err := filepath.Glob(filepath.Join(packages[run[1]], "*_test.go"))
		if err != nil || packages[run[1]] == "" || len(files) == 0 {
			t.Fatalf("%s: built from %q, %v", run[1], packages[run[1]], err)
		}
		var names []string
		for _, file := range files {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w*)\(`).FindAllStringSubmatch(read(file), -1) {
				names = append(names, m[1])
			}
		}
		for _, quoted := range regexp.MustCompile(`'\^\((.*?)\)\$`).FindAllStringSubmatch(run[2], -1) {
			for pattern := range strings.SplitSeq(quoted[1], "|") {
				if !slices.ContainsFunc(names, regexp.MustCompile("^("+pattern+")$").MatchString) {
					t.Errorf("%s has no test %s", run[1], pattern)
				}
			}
		}
	}
}
