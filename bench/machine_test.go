package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/spec"
)

func TestMachineBudget(t *testing.T) {
	o := machineOptions{device: goDevice, memory: 8 << 30}
	if b := o.batching(); b.Memory != 4<<30 || b.Small != b.Tokens {
		t.Errorf("on the Go backend %+v: want half of the memory and one batch size a length", b)
	}
	if d := o.dense(""); d.MemoryBudget != 4<<30 {
		t.Errorf("vectors may take %d", d.MemoryBudget)
	}
	o.device = "xla:cuda:1"
	if b := o.batching(); b.Memory != 8<<30 || b.Small >= b.Tokens {
		t.Errorf("on an accelerator %+v", b)
	}
	whole := machineOptions{device: goDevice}
	if n := machineMemory(); n < 256<<20 || whole.budget() != n/machineShare/2 {
		t.Errorf("machine of %d bytes, budget %d", n, whole.budget())
	}
	var shared spec.Bytes
	if err := shared.UnmarshalText([]byte(whole.args(4)[3])); err != nil || int64(shared) != machineMemory()/machineShare/4 {
		t.Errorf("one of four may take %d, %v", shared, err)
	}
	if n, ok := parseMemTotal([]byte("MemFree: 1 kB\nMemTotal:        8052084 kB\n")); !ok || n != 8052084<<10 {
		t.Errorf("MemTotal is %d, %t", n, ok)
	}
	if _, ok := parseMemTotal([]byte("MemFree: 1 kB\n")); ok {
		t.Error("a file without a total has one")
	}
}

// A device that is not there is an error of every verb that computes, before it
// writes anything.
func TestAbsentDevice(t *testing.T) {
	file, out := inFile(t, "small.yaml", smallSweep), filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"sweep", file, "--runs", out}, {"train", file, "--set", "seed=1", "--out", out}, {"repeat", out, "a"},
	} {
		for _, device := range []string{"xla:cpu", "xla:cuda:7", filepath.Join(t.TempDir(), "plugin.so")} {
			want := "device " + device
			verbFails(t, exitFailure, want, append(args, "--device", device)...)
		}
		verbFails(t, exitUsage, `did you mean "xla:cuda"?`, append(args, "--device", "xla:cudda")...)
		verbFails(t, exitUsage, "want a card's number", append(args, "--device", "xla:cuda:x")...)
		verbFails(t, exitUsage, "want an amount", append(args, "--memory", "lots")...)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refused device left %s behind: %v", out, err)
	}
}

// The memory budget is a budget: what cannot fit is an error that says so, and a
// small one changes no ranking.
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
	if p := readProvenance(t, filepath.Join(small, "out")); p.Memory != 200<<10 || !strings.HasPrefix(p.Backend, "go:") {
		t.Errorf("provenance: memory %d, backend %q", p.Memory, p.Backend)
	}
}

// A sweep encodes with an untrained model once, keeps nothing of a trained one,
// and gives the same numbers without a cache.
func TestSweepCache(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	const all, frozen = "{seed: [1]}", "{seed: [1]}\nexclude: [{seed: 1}]"
	runs := map[string]string{"": t.TempDir(), noCache: t.TempDir(), "baselines": t.TempDir()}
	write := func(matrix string) string {
		return inFile(t, "small.yaml", strings.Replace(smallSweep, "{seed: [1, 2]}", matrix, 1))
	}
	verbOutput(t, "sweep", write(all), "--runs", runs[""])
	verbOutput(t, "sweep", write(all), "--runs", runs[noCache], "--cache", noCache)
	with, without := numbers(t, filepath.Join(runs[""], "small")), numbers(t, filepath.Join(runs[noCache], "small"))
	if len(with) == 0 || len(with) != len(without) {
		t.Fatalf("%d files with a cache, %d without", len(with), len(without))
	}
	for name, sum := range with {
		if without[name] != sum {
			t.Errorf("%s differs without a cache", name)
		}
	}
	// Another experiment finds all vectors of the untrained model.
	shared := filepath.Join(runs[""], "small", cacheDir)
	verbOutput(t, "sweep", write(frozen), "--runs", runs["baselines"], "--cache", shared)
	if out := verbOutput(t, "cache", "verify", shared); strings.Count(out, "vectors, 0 repeated, 0 damaged") != 1 {
		t.Errorf("the cache of one untrained model: %s", out)
	}
	if segments, err := filepath.Glob(filepath.Join(shared, "*", "*.vectors")); err != nil || len(segments) != 1 {
		t.Errorf("files of vectors %v, %v: a text was encoded twice", segments, err)
	}
	if _, err := os.Stat(filepath.Join(runs[noCache], "small", cacheDir)); !os.IsNotExist(err) {
		t.Errorf("--cache off leaves a cache: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(runs[""], "small", trialsDir, "*", vectorsDir)); err != nil || len(left) > 0 {
		t.Errorf("vectors of trained models are left: %v, %v", left, err)
	}
}
