// Package pickletest writes weights in the format of torch.save, for tests of readers and for
// servers in tests.
package pickletest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"infbench/training/weights"
)

// StateDict returns the output of Write.
func StateDict(t testing.TB, tensors []weights.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Write writes tensors as a zip archive with a pickle of protocol 2, each tensor in its own
// storage.
func Write(out io.Writer, tensors []weights.Tensor) error {
	w := zip.NewWriter(out)
	add := func(name string, data []byte) error {
		f, err := w.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store}) // not deflated, as in torch.save
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	errs := []error{add("data.pkl", []byte(program(tensors)))}
	for i, tensor := range tensors {
		var raw []byte
		for _, v := range tensor.Values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		errs = append(errs, add("data/"+strconv.Itoa(i), raw))
	}
	return errors.Join(append(errs, add("version", []byte("3\n")), w.Close())...)
}

// program returns the pickle of an OrderedDict of tensors; tensor n is all of storage n.
func program(tensors []weights.Tensor) string {
	const ordered = "ccollections\nOrderedDict\n)R"
	p := "\x80\x02" + ordered + "("
	for i, tensor := range tensors {
		strides, step := make([]int, len(tensor.Shape)), 1
		for axis := len(strides) - 1; axis >= 0; axis-- {
			strides[axis], step = step, step*tensor.Shape[axis]
		}
		p += text(tensor.Name) + "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" + text(strconv.Itoa(i)) + text("cpu") +
			number(len(tensor.Values)) + "tQ" + number(0) + numbers(tensor.Shape) + numbers(strides) + "\x89" + ordered + "tR"
	}
	return p + "u."
}

func text(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func number(n int) string { return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func numbers(list []int) string {
	s := "("
	for _, n := range list {
		s += number(n)
	}
	return s + "t"
}

// Convert replaces the safetensors files of a folder and its subfolders by files in the
// format of torch.save.
func Convert(t testing.TB, dir string) {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "model.safetensors") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("weights in %s: %v, %v", dir, files, err)
	}
	for _, path := range files {
		name := map[string]string{"model.safetensors": "pytorch_model.bin", "adapter_model.safetensors": "adapter_model.bin"}[filepath.Base(path)]
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), StateDict(t, read(t, path)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads all tensors of a file.
func read(t testing.TB, path string) []weights.Tensor {
	t.Helper()
	f, err := weights.OpenSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []weights.Tensor
	for _, info := range f.Tensors() {
		values, err := f.Float32(info)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, weights.Tensor{Name: info.Name, Shape: info.Shape, Values: values})
	}
	return list
}
