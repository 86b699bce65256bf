package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
)

func TestTrainRefusesDevices(t *testing.T) {
	plain := inFile(t, "x.yaml", "name: x\nevaluate: [mini-bright]")
	verbFails(t, usage.ExitUsage, "--devices 0: want at least 1", "train", plain, "--devices", "0")
	verbFails(t, usage.ExitUsage, `unknown device "gpu"`, "train", plain, "--device", "gpu")
	verbFails(t, exitFailure, "2 devices share the chunks of a batch: set chunk", "train", plain, "--devices", "2", "--out", t.TempDir())
}

// A training that fails at a step reports it and leaves the curve up to that step.
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

// A finished training stays unchanged when the same command is given again.
func TestTrainOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	trainingFiles(t, ".")
	said := verbOutput(t, "train", "train.yaml", "--out", "out")
	weights := filepath.Join("out", results.ModelDir, "model.safetensors")
	before, err := os.Stat(weights)
	if err != nil {
		t.Fatal(err)
	}
	if again := verbOutput(t, "train", "train.yaml", "--out", "out"); again != said {
		t.Errorf("said %q, then %q", said, again)
	}
	if after, err := os.Stat(weights); err != nil || !os.SameFile(before, after) {
		t.Error("the weights were written again", err)
	}
}
