package weights_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/memory"
	"infbench/internal/testkit"
	"infbench/training/weights"
)

// file writes a header and values as a file and returns its path.
func file(t testing.TB, header string, values []byte) string {
	t.Helper()
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = append(append(data, header...), values...)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTypes reads values with bits from IEEE 754.
func TestTypes(t *testing.T) {
	bits16 := func(values ...uint16) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
		return b
	}
	for _, c := range []struct {
		dtype string
		raw   []byte
		want  []float32
	}{
		{"F32", binary.LittleEndian.AppendUint32(nil, 0x3fc00000), []float32{1.5}},
		{"F64", binary.LittleEndian.AppendUint64(nil, 0xbff8000000000000), []float32{-1.5}},
		{"BF16", bits16(0x3fc0, 0x8000, 0xc2f7), []float32{1.5, float32(math.Copysign(0, -1)), -123.5}},
		{"F16", bits16(0x3e00, 0xc000, 0x7bff, 0x0001, 0x83ff, 0x0400), []float32{
			1.5, -2, 65504, 1.0 / (1 << 24), -1023.0 / (1 << 24), 1.0 / (1 << 14)}},
	} {
		header := fmt.Sprintf(`{"x":{"dtype":%q,"shape":[%d],"data_offsets":[0,%d]}}`, c.dtype, len(c.want), len(c.raw))
		f, err := weights.OpenSafetensors(file(t, header, c.raw))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := f.Float32(f.Tensors()[0])
		if err != nil || !slices.EqualFunc(got, c.want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("%s: %v, %v; want %v", c.dtype, got, err, c.want)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for _, c := range []struct {
		header string
		bytes  int
		want   string
	}{
		{`[]`, 0, "not a JSON object"},
		{`{} {}`, 0, "data after the JSON object"},
		{`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8, "listed twice"},
		{`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"y":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, 12, "starts at byte 8"},
		{`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8, "starts at byte 4"},
		{`{"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4, "impossible shape"},
		{`{"x":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,0]}}`, 0, "impossible shape"},
		{`{"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, 4, "cannot unmarshal"},
		{`{"x":{"dtype":"F32","data_offsets":[0,4]}}`, 4, "no shape"},
		{`{"x":{"dtype":"F32","shape":[1]}}`, 4, "not a pair"},
		{`{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4, "bytes 4 to 0"},
		{`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}}`, 4, "unknown field"},
		{`{"__metadata__":{"n":1}}`, 0, "__metadata__"},
		{`{"x":`, 0, "header"},
	} {
		_, err := weights.OpenSafetensors(file(t, c.header, make([]byte, c.bytes)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.header, err, c.want)
		}
	}
}

// TestWrite: written tensors are read again, and the values start at a multiple of eight bytes, as
// the format requires.
func TestWrite(t *testing.T) {
	tensors := []weights.Tensor{
		{Name: "b", Shape: []int{2, 1}, Values: []float32{1, -2}},
		{Name: `a "quoted"`, Shape: []int{}, Values: []float32{3}},
		{Name: "none", Shape: []int{0, 5}},
	}
	var b bytes.Buffer
	if err := weights.Write(&b, tensors); err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint64(b.Bytes()); n%8 != 0 {
		t.Errorf("header of %d bytes", n)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := weights.OpenSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	infos := map[string]weights.Info{}
	for _, info := range f.Tensors() {
		infos[info.Name] = info
	}
	for _, want := range tensors {
		info := infos[want.Name]
		got, err := f.Float32(info)
		if err != nil || !slices.Equal(got, want.Values) || !slices.Equal(info.Shape, want.Shape) {
			t.Errorf("%q: %v %v, %v", want.Name, got, info.Shape, err)
		}
	}
	for _, bad := range [][]weights.Tensor{
		{{Name: "x", Shape: []int{2}, Values: []float32{1}}},
		{{Name: "x"}, {Name: "x"}},
		{{Name: "__metadata__", Shape: []int{0}}},
	} {
		if err := weights.Write(&b, bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// A header, or an index of shards, that expands to more than the memory has room for is rejected.
func TestHeaderAsksForRoom(t *testing.T) {
	var entries strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&entries, `"%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},`, i)
	}
	header := "{" + strings.TrimSuffix(entries.String(), ",") + "}"
	shape := `{"x":{"dtype":"U8","shape":[` + strings.Repeat("1,", 2<<20) + `0],"data_offsets":[0,0]}}`
	dir := t.TempDir()
	index := `{"weight_map":{` + strings.Repeat(`"":"",`, 1<<20) + `"":""}}`
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"tensors": func() error { _, err := weights.OpenSafetensors(file(t, header, nil)); return err },
		"a shape": func() error { _, err := weights.OpenSafetensors(file(t, shape, nil)); return err },
		"index":   func() error { _, err := weights.OpenFolder(dir); return err },
	} {
		t.Run(name, func(t *testing.T) {
			defer memory.Limit(memory.Least)()
			if _, full := errors.AsType[*memory.Full](open()); !full {
				t.Errorf("was read: %v", open())
			}
		})
	}
}

// FuzzOpen: a file is rejected or all its weights can be read.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`), []byte{0, 0, 128, 63})
	f.Add([]byte(`{"x":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"__metadata__":{}}`), []byte{0, 0})
	f.Fuzz(func(t *testing.T, header, values []byte) {
		testkit.Small.Within(t, len(header)+len(values), func() {
			s, err := weights.OpenSafetensors(file(t, string(header), values))
			if err != nil {
				return
			}
			defer s.Close()
			total := 0
			for _, info := range s.Tensors() {
				total += info.Len()
				if got, err := s.Float32(info); err == nil && len(got) != info.Len() {
					t.Fatalf("%v: %d values", info, len(got))
				}
			}
			if total > len(values) {
				t.Fatalf("%d values in %d bytes", total, len(values))
			}
		})
	})
}
