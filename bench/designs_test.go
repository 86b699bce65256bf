package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"infbench/bench/spec"
	"infbench/training"
)

// TestExperimentsExpand: every experiment file of the project makes a plan, from
// the root, where make runs. One whose backbone lies in a folder of reference data
// that is not here is left out.
func TestExperimentsExpand(t *testing.T) {
	t.Chdir("..")
	files, err := filepath.Glob(filepath.Join("bench", "experiments", "*.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d experiment files, %v", len(files), err)
	}
	for _, file := range files {
		e, err := spec.ReadFile(file, known())
		if err != nil && strings.Contains(err.Error(), `backbone "../shared/`) {
			t.Logf("SKIP: shared data absent: %v", err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := e.Expand(func(name string, _ uint64) (string, error) { return name, nil }); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSeparateEncoders: a backbone with an encoder for each side and a learned
// interaction is checked and evaluated from its folder, and is a backbone again.
func TestSeparateEncoders(t *testing.T) {
	shared := false
	c := spec.DefaultCell()
	c.Interaction = "cross_attention(projections=learned)"
	c.Design = training.Design{ShareEncoder: &shared, Pooling: "cls"}
	enc, _, err := newBackbone(&c, machineOptions{device: goDevice})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "model")
	if err := enc.Save(folder); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"separate encoders": {"models", "check", folder},
		"nDCG@10":           {"evaluate", "--model", folder, "--data", "mini-mair", "--task", "passage-question", "--out", t.TempDir()},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%v: exit %d, %s%s", args, code, stdout.String(), stderr.String())
		}
	}
	c.Backbone, c.Design = folder, training.Design{}
	if err := checkBackbone(folder); err != nil {
		t.Error(err)
	}
	if again, _, err := newBackbone(&c, machineOptions{device: goDevice}); err != nil || !again.Separated() {
		t.Errorf("as a backbone the folder is not what it was: %v", err)
	}
}
