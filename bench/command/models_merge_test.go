package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/usage"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// TestModelsMerge: the merged folder runs and gives the same vectors as the model with the
// adapter.
func TestModelsMerge(t *testing.T) {
	base := goldenModel(t, "llama", map[string]string{"infbench.json": `{"max_query_tokens":48,"max_document_tokens":48}`})
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	vector := func(e *encoder.Encoder) []float32 {
		t.Helper()
		v := make([]float32, e.Dim())
		if err := e.EncodeDocuments(t.Context(), []string{""}, []string{"one two"}, v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	enc, err := encoder.Open(base, backend)
	if err != nil {
		t.Fatal(err)
	}
	before := vector(enc)
	if err := enc.Adapt(encoder.LoRA{Rank: 2, Targets: []string{"q_proj", "v_proj"}}, 1); err != nil {
		t.Fatal(err)
	}
	for v := range enc.Store().IterVariables() { // a fresh adapter changes nothing
		if !strings.HasSuffix(v.Path(), ".B") {
			continue
		}
		values := make([]float32, v.Shape().Size())
		for i := range values {
			values[i] = float32(i%3) / 4
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
			t.Fatal(err)
		}
	}
	adapter, out := filepath.Join(t.TempDir(), "adapter"), filepath.Join(t.TempDir(), "merged")
	if err := enc.SaveAdapter(adapter); err != nil {
		t.Fatal(err)
	}
	want := vector(enc)
	var stdout, stderr bytes.Buffer
	if code := run([]string{"models", "merge", base, adapter, "--out", out}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	merged, err := encoder.Open(out, backend)
	if err != nil {
		t.Fatal(err)
	}
	got, moved := vector(merged), float32(0)
	for i := range want {
		if d := got[i] - want[i]; d > 1e-5 || d < -1e-5 {
			t.Fatalf("component %d is %g, want %g", i, got[i], want[i])
		}
		moved = max(moved, want[i]-before[i])
	}
	if moved < 1e-3 {
		t.Error("the adapter changes nothing")
	}
	checked(t, exitOK, out)
	for _, args := range [][]string{{base, adapter}, {base, adapter, "--out", out}, {base, "--out", out}} {
		if code := run(append([]string{"models", "merge"}, args...), &stdout, &stderr); code != usage.ExitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
	if code := run([]string{"models", "merge", base, base, "--out", out + "2"}, &stdout, &stderr); code != exitFailure {
		t.Errorf("no adapter: exit %d", code)
	}
}
