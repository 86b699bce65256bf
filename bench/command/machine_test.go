package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/runners/runs"
)

// For a missing device, every verb that computes returns an error before it writes anything.
func TestAbsentDevice(t *testing.T) {
	file, out := inFile(t, "small.yaml", smallSweep), filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"sweep", file, "--runs", out}, {"train", file, "--set", "seed=1", "--out", out}, {"repeat", out, "a"},
	} {
		for _, device := range []string{"xla:cpu", "xla:cuda:7", filepath.Join(t.TempDir(), "plugin.so")} {
			want := "device " + device
			verbFails(t, exitFailure, want, append(args, "--device", device)...)
		}
		verbFails(t, usage.ExitUsage, `did you mean "xla:cuda"?`, append(args, "--device", "xla:cudda")...)
		verbFails(t, usage.ExitUsage, "want a card's number", append(args, "--device", "xla:cuda:x")...)
		verbFails(t, usage.ExitUsage, "want an amount", append(args, "--memory", "lots")...)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refused device left %s behind: %v", out, err)
	}
}

// The memory budget is enforced: inputs that cannot fit are reported as an error, and a small
// budget changes no ranking.
func TestEvaluateMemory(t *testing.T) {
	dir, data := writeEncoder(t, ""), writeFiles(t, zoo)
	whole, small := t.TempDir(), t.TempDir()
	verbOutput(t, "evaluate", "--model", dir, "--data", data, "--out", filepath.Join(whole, "out"))
	verbOutput(t, "evaluate", "--model", dir, "--data", data, "--memory", "200KiB", "--out", filepath.Join(small, "out"))
	a, b := savedRuns(t, filepath.Join(whole, "out"))["test"]["q1"], savedRuns(t, filepath.Join(small, "out"))["test"]["q1"]
	if ranked(a) != ranked(b) {
		t.Errorf("ranked %v with 200 KiB, %v without", b, a)
	}
	for i := range a {
		if d := a[i].Score - b[i].Score; d > 2e-6 || d < -2e-6 {
			t.Errorf("%s scores %v with 200 KiB, %v without", a[i].Doc, b[i].Score, a[i].Score)
		}
	}
	verbFails(t, exitFailure, "out of memory", "evaluate", "--model", dir, "--data", data, "--memory", "20KiB", "--out", filepath.Join(t.TempDir(), "out"))
	if p := readProvenance(t, filepath.Join(small, "out")); p.Memory != 200<<10 || !strings.HasPrefix(p.Backend, "go") {
		t.Errorf("provenance: memory %d, backend %q", p.Memory, p.Backend)
	}
}

// A sweep encodes only once with an untrained model, keeps no vectors of a trained one, and
// gives the same numbers without a cache.
func TestSweepCache(t *testing.T) {
	testkit.Deep(t)
	const all, frozen = "{seed: [1]}", "{seed: [1]}\nexclude: [{seed: 1}]"
	folder := map[string]string{"": t.TempDir(), device.NoCache: t.TempDir(), "baselines": t.TempDir()}
	write := func(matrix string) string {
		return inFile(t, "small.yaml", strings.Replace(smallSweep, "{seed: [1, 2]}", matrix, 1))
	}
	verbOutput(t, "sweep", write(all), "--runs", folder[""])
	verbOutput(t, "sweep", write(all), "--runs", folder[device.NoCache], "--cache", device.NoCache)
	with, without := numbers(t, filepath.Join(folder[""], "small")), numbers(t, filepath.Join(folder[device.NoCache], "small"))
	if len(with) == 0 || len(with) != len(without) {
		t.Fatalf("%d files with a cache, %d without", len(with), len(without))
	}
	for name, sum := range with {
		if without[name] != sum {
			t.Errorf("%s differs without a cache", name)
		}
	}
	// Another experiment finds all vectors of the untrained model.
	shared := filepath.Join(folder[""], "small", runs.CacheDir)
	verbOutput(t, "sweep", write(frozen), "--runs", folder["baselines"], "--cache", shared)
	if out := verbOutput(t, "models", "cache", "verify", shared); strings.Count(out, "vectors, 0 repeated, 0 damaged") != 1 {
		t.Errorf("the cache of one untrained model: %s", out)
	}
	if segments, err := filepath.Glob(filepath.Join(shared, "*", "*.vectors")); err != nil || len(segments) != 1 {
		t.Errorf("files of vectors %v, %v: a text was encoded twice", segments, err)
	}
	if _, err := os.Stat(filepath.Join(folder[device.NoCache], "small", runs.CacheDir)); !os.IsNotExist(err) {
		t.Errorf("--cache off leaves a cache: %v", err)
	}
	if left, err := filepath.Glob(runs.At(filepath.Join(folder[""], "small")).Trial("*").Vectors()); err != nil || len(left) > 0 {
		t.Errorf("vectors of trained models are left: %v, %v", left, err)
	}
}
