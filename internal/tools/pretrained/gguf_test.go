package pretrained

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file writes a GGUF file of one tensor with a type, values given as bytes, and some keys.
func file(t *testing.T, kind uint32, shape []uint64, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				binary.Write(&b, binary.LittleEndian, uint64(len(s)))
				b.WriteString(s)
			} else {
				binary.Write(&b, binary.LittleEndian, v)
			}
		}
	}
	b.WriteString("GGUF")
	put(uint32(3), uint64(1), uint64(3))
	put("name", uint32(8), "llama")
	put("eps", uint32(6), float32(.5))
	put("words", uint32(9), uint32(8), uint64(2), "a", "b")
	put("x", uint32(len(shape)))
	for _, d := range shape {
		put(d)
	}
	put(kind, uint64(0))
	b.Write(make([]byte, (32-b.Len()%32)%32))
	b.Write(data)
	path := filepath.Join(t.TempDir(), "x.gguf")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Values by hand, from the layouts of ggml-common.h.
func TestGGUF(t *testing.T) {
	q4 := []byte{0x00, 0x38, 0x00, 0xbc} // scale .5, minimum -1
	for i := range 16 {
		q4 = append(q4, byte(i|(15-i)<<4))
	}
	want4, want8 := make([]float32, 32), make([]float32, 32)
	q8 := []byte{0x00, 0x34} // scale .25
	for i := range 32 {
		q8 = append(q8, byte(i-16))
		want8[i] = float32(i-16) / 4
	}
	for i := range 16 {
		want4[i], want4[i+16] = float32(i)/2-1, float32(15-i)/2-1
	}
	f32 := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(-2))
	for _, c := range []struct {
		name  string
		kind  uint32
		shape []uint64 // the contiguous dimension first
		data  []byte
		want  []float32
	}{
		{"F32", 0, []uint64{1, 2}, f32, []float32{1.5, -2}},
		{"Q4_1", 3, []uint64{32, 1}, q4, want4},
		{"Q8_0", 8, []uint64{32}, q8, want8},
	} {
		g, err := openGGUF(file(t, c.kind, c.shape, c.data))
		if err != nil {
			t.Fatal(err)
		}
		got, shape, err := g.values("x")
		if err != nil || !slices.Equal(got, c.want) || shape[len(shape)-1] != int(c.shape[0]) {
			t.Errorf("%s: %v of shape %v, %v, want %v", c.name, got, shape, err, c.want)
		}
		words, _ := g.keys["words"].([]any)
		if g.keys["name"] != "llama" || g.keys["eps"] != .5 || len(words) != 2 || words[1] != "b" {
			t.Errorf("%s: %v", c.name, g.keys)
		}
	}
}

func TestGGUFFaults(t *testing.T) {
	whole := file(t, 3, []uint64{32}, make([]byte, 20))
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		content    []byte
		want       string
	}{
		{"cut tensor", whole, content[:len(content)-1], "tensor x: EOF"},
		{"cut head", whole, content[:40], "byte "},
		{"another file", whole, []byte("PK\x03\x04 and something longer"), "not a GGUF file of version 3"},
		{"another type", file(t, 2, []uint64{32}, make([]byte, 18)), nil, "tensor x has type 2"},
	} {
		if c.content != nil {
			if err := os.WriteFile(c.path, c.content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		g, err := openGGUF(c.path)
		if err == nil {
			_, _, err = g.values("x")
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// The inverse of llama.cpp's permute (conversion of Llama): one head of four rows in pairs.
func TestUnpaired(t *testing.T) {
	got := unpaired([]float32{0, 2, 1, 3, 10, 12, 11, 13}, []int{8, 1}, 2)
	if want := []float32{0, 1, 2, 3, 10, 11, 12, 13}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
