//go:build xla

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/pjrttest"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// mockPackages makes a folder like python3's site-packages with JAX's plugin, using the
// plugin of tests, and a python3 that imports from it.
func mockPackages(t *testing.T) (packages string, plugin *pjrttest.Plugin) {
	t.Helper()
	packages = filepath.Join(t.TempDir(), "site-packages")
	plugins := filepath.Join(packages, "jax_plugins", "xla_cuda13")
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		t.Fatal(err)
	}
	plugin = pjrttest.In(t, plugins, "xla_cuda_plugin.so")
	for _, name := range []string{"nvidia/cu13/lib/libcudart.so.13", "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/nvvm/libdevice/libdevice.10.bc"} {
		writeFile(t, filepath.Join(packages, name), "")
	}
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "python3"), fmt.Sprintf("#!/bin/sh\necho %s\n", packages))
	if err := os.Chmod(filepath.Join(bin, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"PJRT_PLUGIN_LIBRARY_PATH", "LD_LIBRARY_PATH", "XLA_FLAGS"} {
		t.Setenv(name, "")
	}
	return packages, plugin
}

// A process on a card finds its plugin in python3's packages and restarts itself once, with
// NVIDIA's libraries and CUDA's folder, before it opens the plugin.
func TestCardStartsAnew(t *testing.T) {
	packages, plugin := mockPackages(t)
	out, err := infbench(t, "open-device", "xla:cuda:0,deterministic,self_test=false").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), plugin.Path) {
		t.Errorf("opened %s, want %s", out, plugin.Path)
	}
	clients := plugin.Log(t, "client")
	if len(clients) != 1 {
		t.Fatalf("%d clients, want one", len(clients))
	}
	nvidia := filepath.Join(packages, "nvidia")
	if got, want := clients[0].LibraryPath, nvidia+"/cu13/lib:"+nvidia+"/cudnn/lib"; got != want {
		t.Errorf("LD_LIBRARY_PATH %s, want %s", got, want)
	}
	if got, want := clients[0].Flags, "--xla_gpu_cuda_data_dir="+nvidia+"/cu13 --xla_gpu_deterministic_ops=true"; got != want {
		t.Errorf("XLA_FLAGS %s, want %s", got, want)
	}
	list, err := infbench(t, "open-device", "xla:cuda", "--environment").Output()
	if want := "XLA_FLAGS=--xla_gpu_cuda_data_dir=" + nvidia + "/cu13\n"; err != nil || !strings.HasSuffix(string(list), want) {
		t.Errorf("variables %s, %v; want %s", list, err, want)
	}
}

// A sweep does not begin on cards that compute zeros.
func TestCardsOfZeros(t *testing.T) {
	plugin := pjrttest.New(t)
	out, err := infbench(t, "sweep", inFile(t, "small.yaml", smallSweep), "--runs", t.TempDir(), "--devices", plugin.Path+":0,"+plugin.Path+":1").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "it computes zeros") {
		t.Errorf("%v: %s", err, out)
	}
}

// With the self-test off, as provenance records, a sweep over two cards trains one trial at a
// time on each, in one process with one client; a repetition compares means.
func TestCardSweep(t *testing.T) {
	t.Setenv(pjrttest.Devices, "2")
	t.Setenv(pjrttest.Noise, "1") // identical vectors are not evaluated
	plugin, folder := pjrttest.New(t), t.TempDir()
	card := func(n int) string { return fmt.Sprintf("%s:%d,self_test=false", plugin.Path, n) }
	out, err := infbench(t, "sweep", inFile(t, "small.yaml", smallSweep), "--runs", folder, "--devices", card(0)+","+card(1)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := runs.At(filepath.Join(folder, "small"))
	plan, err := at.Plan()
	if err != nil {
		t.Fatal(err)
	}
	cards, opened, trained := map[string]bool{}, 0, ""
	for _, trial := range plan.Trials {
		data, err := os.ReadFile(filepath.Join(at.Trial(trial.ID).Dir, results.ProvenanceFile))
		if err != nil {
			t.Fatal(err)
		}
		var p results.Provenance
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		if p.Accelerator == nil {
			continue // does not run on a card
		}
		opened++
		cards[p.Backend] = true
		if !p.Accelerator.Unchecked || p.Accelerator.Plugin != plugin.Path || !strings.Contains(p.Backend, "self_test=false") {
			t.Errorf("%s: %+v on %s", trial.Label, p.Accelerator, p.Backend)
		}
		if p.Trained != nil {
			trained = trial.ID
		}
	}
	autotuned := "--xla_gpu_per_fusion_autotune_cache_dir=" + at.Autotuned()
	told := slices.DeleteFunc(plugin.Log(t, "client"), func(c pjrttest.Call) bool { return !strings.Contains(c.Flags, autotuned) })
	if len(told) != 2 {
		t.Errorf("%d of 2 processes keep what is autotuned in their run folder", len(told))
	}
	const probed = 2
	if clients := plugin.Log(t, "client"); len(clients) != 2+probed || len(cards) != 2 || trained == "" {
		t.Errorf("%d clients of %d trials and %d probes on %v", len(clients), opened, probed, cards)
	}
	out, err = infbench(t, "repeat", at.Dir, trained, "--device", card(1)).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "not both deterministic: comparing means, which may differ by 0.02") {
		t.Errorf("%v: %s", err, out)
	}
}

// Trials on a card share a process and its programs: those after the first compile nothing, and
// leave as little in the card's memory.
func TestCardSharesPrograms(t *testing.T) {
	t.Setenv(pjrttest.Noise, "1")
	plugin, folder := pjrttest.New(t), t.TempDir()
	seeds := strings.Replace(smallSweep, "seed: [1, 2]", "seed: [1, 2, 3, 4]", 1)
	out, err := infbench(t, "sweep", inFile(t, "small.yaml", seeds), "--runs", folder, "--device", plugin.Path+",self_test=false").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := runs.At(filepath.Join(folder, "small"))
	plan, err := at.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var compiled []int
	for _, trial := range plan.Trials {
		p, err := at.Trial(trial.ID).Reader().Provenance()
		if err != nil {
			t.Fatal(err)
		}
		if p.Trained != nil {
			compiled = append(compiled, p.Accelerator.Programs)
		}
		if info, err := os.Stat(filepath.Join(at.Logs(), trial.ID+".log")); err != nil || info.Size() > 0 {
			t.Errorf("%s: log %v, %v", trial.Label, info, err)
		}
	}
	if len(compiled) != 4 || compiled[0] == 0 || slices.Max(compiled[1:]) > 0 {
		t.Errorf("trials compiled %v programs, want only the first to compile", compiled)
	}
	executions := plugin.Log(t, "execute")
	for _, c := range executions {
		if most := executions[0].Live * 6 / 5; c.Live > most {
			t.Fatalf("%d bytes live in execution %d, want at most %d: an earlier trial is still in memory", c.Live, c.Execution, most)
		}
	}
}

// PyTorch is measured on a card that no longer holds any of our data, and earlier
// measurements are reported even if that fails.
func TestCardIsFreeForPyTorch(t *testing.T) {
	plugin, bin := pjrttest.New(t), t.TempDir()
	writeFile(t, filepath.Join(bin, "python3"), fmt.Sprintf("#!/bin/sh\n[ \"$2\" = 'import torch' ] && exit\ncp %s/log %s/then\nexit 1\n", filepath.Dir(plugin.Path), bin))
	if err := os.Chmod(filepath.Join(bin, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	out, err := infbench(t, "gpu-check", "--device", plugin.Path+",self_test=false", "--shape", "tiny", "--records", "2", "--groups", "1", "--length", "16", "--steps", "1").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"infbench +train bf16 ", "infbench +encode bf16 ", `infbench compiled \d+ programs in \d+ s, which these rows leave out\n`, "PyTorch: not measured, exit status 1"} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("output lacks %s:\n%s", want, out)
		}
	}
	log, err := os.ReadFile(filepath.Join(bin, "then"))
	if made, gone := strings.Count(string(log), `"call":"client"`), strings.Count(string(log), `"call":"client destroyed"`); err != nil || made == 0 || made != gone {
		t.Errorf("as PyTorch begins %d clients of %d are gone, %v", gone, made, err)
	}
}

// Training on a card is compared with results of processors, as in make gpu-kit: a card that
// computes noise is detected even if its own repetitions agree.
func TestCardIsHeldToProcessors(t *testing.T) {
	t.Setenv(pjrttest.Noise, "1")
	plugin, folder := pjrttest.New(t), t.TempDir()
	if out, err := infbench(t, "sweep", inFile(t, "small.yaml", smallSweep), "--runs", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := runs.At(filepath.Join(folder, "small"))
	plan, err := at.Plan()
	if err != nil {
		t.Fatal(err)
	}
	trained := slices.IndexFunc(plan.Trials, func(t spec.Trial) bool { return t.Cell.Model == spec.Trained })
	out, err := infbench(t, "repeat", at.Dir, plan.Trials[trained].ID, "--device", plugin.Path+",self_test=false").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "means differ by more than 0.02") {
		t.Errorf("%v: %s", err, out)
	}
}
