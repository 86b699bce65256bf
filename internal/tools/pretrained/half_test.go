package pretrained

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infbench/training/weights"
)

// Values are rounded to float16, and rows of unused tokens are zero.
func TestWriteHalf(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	f, err := os.Create(filepath.Join(from, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.Write(f, []weights.Tensor{
		{Name: WordEmbeddings, Shape: []int{3, 2}, Values: []float32{1, 2, 3, 4, 0.1, -65504}},
		{Name: "other", Shape: []int{2}, Values: []float32{1 + 1.0/4096, 1e-8}},
	}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	zero, err := WriteHalf(to, from, func(token int) bool { return token != 1 })
	if err != nil || zero != 1 {
		t.Fatalf("%d rows are zero, %v; want 1", zero, err)
	}
	half, err := weights.OpenSafetensors(filepath.Join(to, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	want := map[string][]float32{WordEmbeddings: {1, 2, 0, 0, 0.099975586, -65504}, "other": {1, 0}}
	for _, info := range half.Tensors() {
		if values, err := half.Float32(info); err != nil || !slices.Equal(values, want[info.Name]) {
			t.Errorf("%s: %v, %v; want %v", info.Name, values, err, want[info.Name])
		}
		delete(want, info.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
