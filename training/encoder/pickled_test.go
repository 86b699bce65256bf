package encoder_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/testkit/pickletest"
	"infbench/training/encoder"
)

// inspected describes a folder that must run.
func inspected(t *testing.T, dir string) *encoder.Inspection {
	t.Helper()
	i, err := encoder.Inspect(dir)
	if err != nil || !i.Runs() {
		t.Fatalf("%+v, %v", i, err)
	}
	return i
}

// TestPickledFolder: a folder with a Dense module, like Instructor's, has the same vectors and
// the same description with pytorch_model.bin as with safetensors, and saving writes safetensors.
func TestPickledFolder(t *testing.T) {
	dir := denseModel(t, "torch.nn.modules.linear.Identity", 5)
	texts := []string{"w1 w2 w3", "w4"}
	vectors := func(dir string) []float32 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Save(filepath.Join(dir, "saved")); err != nil {
			t.Fatal(err)
		}
		return encodeTexts(t, e, texts)
	}
	want, described := vectors(dir), inspected(t, dir)
	pickletest.Convert(t, dir)
	if got := vectors(dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got := inspected(t, dir)
	got.Tokens, described.Tokens = nil, nil // compared by their vectors
	if !reflect.DeepEqual(got, described) {
		t.Errorf("%+v, want %+v", got, described)
	}
}

// TestPickledAdapter: adapter_model.bin is merged like adapter_model.safetensors.
func TestPickledAdapter(t *testing.T) {
	base, dir := filepath.Join(t.TempDir(), "model"), adapter(t, adapterConfig, nil)
	if err := tiny(t).Save(base); err != nil {
		t.Fatal(err)
	}
	weight := func() []float32 {
		e, err := encoder.OpenAdapted(base, dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return tensors.MustCopyFlatData[float32](e.Variable("encoder.layer.0.attention.self.query.weight").MustValue())
	}
	want, described := weight(), inspected(t, dir)
	pickletest.Convert(t, dir)
	if !slices.Equal(weight(), want) {
		t.Error("other weights")
	}
	got := inspected(t, dir)
	got.Tokens, described.Tokens = nil, nil // compared by their vectors
	if !reflect.DeepEqual(got, described) {
		t.Errorf("%+v, want %+v", got, described)
	}
}
