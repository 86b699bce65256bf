package weights_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/weights"
)

// folder writes files with one tensor each, by name of the file.
func folder(t *testing.T, tensors map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, tensor := range tensors {
		var b bytes.Buffer
		if err := weights.Write(&b, []weights.Tensor{{Name: tensor, Shape: []int{1}, Values: []float32{1}}}); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), b.String())
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestShards: tensors are where the index places them, all of them and no others.
func TestShards(t *testing.T) {
	for _, c := range []struct{ index, want string }{
		{`{"metadata":{"total_size":8},"weight_map":{"x":"1.safetensors","y":"2.safetensors"}}`, ""},
		{`{"weight_map":{"x":"1.safetensors"}}`, ""},
		{`{"weight_map":{"x":"1.safetensors","z":"2.safetensors"}}`, `has tensor "y", which the index does not place there`},
		{`{"weight_map":{"x":"1.safetensors","y":"1.safetensors"}}`, `tensor "y" is not in`},
		{`{"weight_map":{"x":"3.safetensors"}}`, "3.safetensors"},
		{`{"weight_map":{"x":"../1.safetensors"}}`, "outside the folder"},
		{`{"weight_map":{}}`, "empty weight_map"},
		{`{`, "index.json"},
	} {
		for _, index := range []string{"model.safetensors.index.json", "pytorch_model.bin.index.json"} {
			dir := folder(t, map[string]string{"1.safetensors": "x", "2.safetensors": "y"})
			write(t, filepath.Join(dir, index), c.index)
			f, err := weights.OpenFolder(dir)
			if err == nil {
				f.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %s: error %v, want %q", index, c.index, err, c.want)
			}
		}
	}
}

// TestWhichFile: safetensors are preferred to torch.save's files, which are then not opened, and a
// single file to shards. The error for a folder without weights names the files.
func TestWhichFile(t *testing.T) {
	dir := folder(t, map[string]string{"model.safetensors": "x", "1.safetensors": "y"})
	write(t, filepath.Join(dir, "pytorch_model.bin"), "no weights at all")
	write(t, filepath.Join(dir, "model.safetensors.index.json"), `{"weight_map":{"y":"1.safetensors"}}`)
	for _, want := range []string{"x", "y", "pytorch_model.bin", "no weights (model.safetensors, pytorch_model.bin, or an index of shards)"} {
		f, err := weights.OpenFolder(dir)
		if err == nil && !slices.Equal(f.Names(), []string{want}) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: error %v", want, err)
		}
		if f != nil {
			f.Close()
		}
		for _, name := range []string{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"} {
			if os.Remove(filepath.Join(dir, name)) == nil {
				break
			}
		}
	}
}

// TestOpenOneOf: the first existing file, or the error of the first.
func TestOpenOneOf(t *testing.T) {
	dir := folder(t, map[string]string{"b.safetensors": "x"})
	f, err := weights.OpenOneOf(dir, "a.safetensors", "b.safetensors")
	if err != nil || f.Tensors()[0].Name != "x" {
		t.Fatal(err)
	}
	f.Close()
	if f, err := weights.OpenOneOf(dir, "c.safetensors", "d.bin"); f != nil || err == nil || !strings.Contains(err.Error(), "c.safetensors") {
		t.Errorf("%v, %v", f, err)
	}
}

// TestIsRead: only files with weights are read, and only without safetensors in the same folder.
func TestIsRead(t *testing.T) {
	all := []string{"model.safetensors", "a/pytorch_model.bin", "2_Dense/model.safetensors.index.json"}
	for file, want := range map[string]bool{
		"pytorch_model.bin": false, "pytorch_model-00001-of-00002.bin": false, "adapter_model.bin": true,
		"a/pytorch_model.bin": true, "a/pytorch_model-00002-of-00002.bin": true, "2_Dense/pytorch_model.bin": false,
		"a/training_args.bin": false, "a/pytorch_model.fp16.bin": false, "a/openvino_model.bin": false,
	} {
		if got := weights.IsRead(file, all); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
