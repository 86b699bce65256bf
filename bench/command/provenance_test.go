package command

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/runners/engine"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/trial"
)

// The files are as written by NVIDIA's driver 535.
func TestAccelerators(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"version":                       "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.12  Wed Sep 20 09:35:17 UTC 2023\nGCC version:  gcc\n",
		"gpus/0000:17:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 200\n",
		"gpus/0000:3d:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\n",
	})
	devices, driver := provenance.Accelerators(dir)
	if want := []string{"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"}; !slices.Equal(devices, want) {
		t.Errorf("devices %q, want %q", devices, want)
	}
	if want := "NVIDIA UNIX x86_64 Kernel Module  535.104.12  Wed Sep 20 09:35:17 UTC 2023"; driver != want {
		t.Errorf("driver %q, want %q", driver, want)
	}
	if devices, driver := provenance.Accelerators(filepath.Join(dir, "none")); devices != nil || driver != "" {
		t.Errorf("on a machine without: %q, %q", devices, driver)
	}
}

// A cell records everything needed to make it again, including its history, and no secret.
func TestProvenanceOfATrial(t *testing.T) {
	t.Setenv("GOGC", "77")
	t.Setenv("INFBENCH_KEY", "hidden value")
	plan, dir := crashPlan(t), t.TempDir()
	one := &plan.Trials[0]
	in := trial.Usual(&one.Cell, func(engine.Progress) {})
	if err := runs.At(dir).Trial(one.ID).Failures().Add(results.OutOfMemory, errFull); err != nil {
		t.Fatal(err)
	}
	if err := trial.Run(t.Context(), runs.At(dir), one, in); err != nil {
		t.Fatal(err)
	}
	p, err := runs.At(dir).Trial(one.ID).Reader().Provenance()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case p.Infbench == "" || p.Source != provenance.BuildSource() || p.Go == "" || p.CPU == "" || p.Host == "" || p.Build["-compiler"] != "gc" || p.Environ["GOGC"] != "77":
		t.Errorf("the machine and the binary: %s", text)
	case len(p.Inputs) != len(one.Revisions) || p.Inputs[one.Cell.Data] == "" || p.Seed != one.Cell.Seed:
		t.Errorf("the inputs: %s", text)
	case p.Chunk != one.Cell.Train.RowsPerGroup || len(p.Attempts) != 1 || p.Attempts[0].Error != errFull.Error():
		t.Errorf("history: %s", text)
	}
	if strings.Contains(string(text), "hidden value") {
		t.Errorf("a secret: %s", text)
	}
}
