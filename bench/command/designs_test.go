package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
	"infbench/training"
)

// TestSeparateEncoders: a backbone with an encoder for each side and a learned interaction is
// checked and evaluated from its folder, and can again be a backbone.
func TestSeparateEncoders(t *testing.T) {
	shared := false
	c := spec.DefaultCell()
	c.Interaction = "cross_attention(projections=learned)"
	c.Design = training.Design{ShareEncoder: &shared, Pooling: "cls"}
	enc, _, err := catalog.NewBackbone(&c, device.Options{Device: device.GoDevice})
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
	if err := catalog.CheckBackbone(folder); err != nil {
		t.Error(err)
	}
	if again, _, err := catalog.NewBackbone(&c, device.Options{Device: device.GoDevice}); err != nil || !again.Separated() {
		t.Errorf("as a backbone, the folder has changed: %v", err)
	}
}
