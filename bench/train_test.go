package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/results"
)

func TestTrainRefusesDevices(t *testing.T) {
	plain := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]")
	verbFails(t, exitUsage, "--devices 0: want at least 1", "train", plain, "--devices", "0")
	verbFails(t, exitUsage, `unknown device "gpu"`, "train", plain, "--device", "gpu")
	verbFails(t, exitFailure, "2 devices share the chunks of a batch: set chunk", "train", plain, "--devices", "2", "--out", t.TempDir())
}

// A training that fails at a step says so and leaves the curve up to there.
func TestTrainLeavesItsCurve(t *testing.T) {
	plain, dir := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]"), t.TempDir()
	verbFails(t, exitFailure, "training step 2 on records \"", "train", plain, "--out", dir,
		"--set", "train.lr=1e30", "--set", "train.schedule=constant", "--set", "train.warmup=0")
	data, err := os.ReadFile(filepath.Join(dir, results.CurveFile))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(data); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"step":1,`) {
		t.Errorf("the curve of the one step reads %s", got)
	}
}

func TestOpenDevices(t *testing.T) {
	first, others, err := openDevices(goDevice, 3)
	if err != nil || first != goDevice || len(others) != 2 || others[0] == others[1] {
		t.Errorf("%s, %v, %v; want go and two more", first, others, err)
	}
	if first, others, err = openDevices("xla:cuda:1", 1); err != nil || first != "xla:cuda:1" || len(others) != 0 {
		t.Errorf("%s, %v, %v; want the one card", first, others, err)
	}
	if _, _, err = openDevices("xla:cuda:1", 2); err == nil {
		t.Error("one card is two")
	}
}
