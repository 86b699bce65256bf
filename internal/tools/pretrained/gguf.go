package pretrained

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"infbench/training/weights"
)

// gguf is an open GGUF file, version 3, little endian
// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). The tensor types that SmolLM2's
// file has can be read: F32, Q4_1 and Q8_0.
type gguf struct {
	file    *os.File
	keys    map[string]any // uint64, int64, float64, bool, string, or []any of one of them
	tensors map[string]ggufTensor
}

type ggufTensor struct {
	shape  []int // row-major: the last dimension is contiguous
	kind   uint32
	offset int64 // in the file
}

// quantized are the types of tensors: values of a block, its bytes, and how it is decoded.
var quantized = map[uint32]struct {
	values, bytes int
	decode        func(out []float32, block []byte)
}{
	0: {1, 4, func(out []float32, b []byte) { out[0] = math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	3: {32, 20, func(out []float32, b []byte) { // Q4_1: scale, minimum, 32 times four bits
		scale, least := half(b), half(b[2:])
		for i, q := range b[4:] {
			out[i] = float32(scale*float32(q&15)) + least
			out[i+16] = float32(scale*float32(q>>4)) + least
		}
	}},
	8: {32, 34, func(out []float32, b []byte) { // Q8_0: scale, 32 signed bytes
		for i, q := range b[2:] {
			out[i] = half(b) * float32(int8(q))
		}
	}},
}

func half(b []byte) float32 {
	v, _ := weights.Decode("F16", b[:2])
	return v[0]
}

// openGGUF reads the head of a file.
func openGGUF(path string) (*gguf, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	g := &gguf{file: f, keys: map[string]any{}, tensors: map[string]ggufTensor{}}
	r := &ggufReader{in: bufio.NewReader(f)}
	g.readHead(r)
	if r.err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: byte %d: %w", path, r.at, r.err)
	}
	return g, nil
}

func (g *gguf) readHead(r *ggufReader) {
	const magic, version = 0x46554747, 3
	if m, v := r.number(4), r.number(4); r.err == nil && (m != magic || v != version) {
		r.err = fmt.Errorf("not a GGUF file of version %d", version)
		return
	}
	tensors, keys := r.number(8), r.number(8)
	for ; keys > 0 && r.err == nil; keys-- {
		key := r.text()
		g.keys[key] = r.value(uint32(r.number(4)))
	}
	for ; tensors > 0 && r.err == nil; tensors-- {
		name := r.text()
		t := ggufTensor{shape: make([]int, min(r.number(4), 8))}
		for i := range t.shape {
			t.shape[len(t.shape)-1-i] = int(r.number(8))
		}
		t.kind, t.offset = uint32(r.number(4)), int64(r.number(8))
		g.tensors[name] = t
	}
	align, ok := g.keys["general.alignment"].(uint64)
	if !ok {
		align = 32
	}
	start := (r.at + int64(align) - 1) / int64(align) * int64(align)
	for name, t := range g.tensors {
		t.offset += start
		g.tensors[name] = t
	}
}

// values decodes a tensor into float32.
func (g *gguf) values(name string) ([]float32, []int, error) {
	t, ok := g.tensors[name]
	if !ok {
		return nil, nil, fmt.Errorf("%s: no tensor %s", g.file.Name(), name)
	}
	kind, ok := quantized[t.kind]
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	if !ok || n%kind.values != 0 {
		return nil, nil, fmt.Errorf("%s: tensor %s has type %d and shape %v; types 0 (F32), 3 (Q4_1) and 8 (Q8_0) are read", g.file.Name(), name, t.kind, t.shape)
	}
	raw := make([]byte, n/kind.values*kind.bytes)
	if _, err := g.file.ReadAt(raw, t.offset); err != nil {
		return nil, nil, fmt.Errorf("%s: tensor %s: %w", g.file.Name(), name, err)
	}
	out := make([]float32, n)
	for i := range n / kind.values {
		kind.decode(out[i*kind.values:], raw[i*kind.bytes:(i+1)*kind.bytes])
	}
	return out, t.shape, nil
}

// ggufReader reads the head of a file. After an error it returns zeros.
type ggufReader struct {
	in  *bufio.Reader
	at  int64
	err error
}

func (r *ggufReader) bytes(n uint64) []byte {
	if r.err == nil && n > 1<<24 {
		r.err = fmt.Errorf("a text of %d bytes", n)
	}
	if r.err != nil {
		return make([]byte, 8)
	}
	b := make([]byte, n)
	_, r.err = io.ReadFull(r.in, b)
	r.at += int64(n)
	return b
}

func (r *ggufReader) number(width uint64) uint64 {
	b := make([]byte, 8)
	copy(b, r.bytes(width))
	return binary.LittleEndian.Uint64(b)
}

func (r *ggufReader) text() string { return string(r.bytes(r.number(8))) }

// value reads a value of a type.
func (r *ggufReader) value(kind uint32) any {
	switch kind {
	case 0, 2, 4, 10: // uint8, 16, 32, 64
		return r.number(map[uint32]uint64{0: 1, 2: 2, 4: 4, 10: 8}[kind])
	case 1:
		return int64(int8(r.number(1)))
	case 3:
		return int64(int16(r.number(2)))
	case 5:
		return int64(int32(r.number(4)))
	case 11:
		return int64(r.number(8))
	case 6:
		return float64(math.Float32frombits(uint32(r.number(4))))
	case 12:
		return math.Float64frombits(r.number(8))
	case 7:
		return r.number(1) != 0
	case 8:
		return r.text()
	case 9:
		of := uint32(r.number(4))
		var list []any
		for n := r.number(8); n > 0 && r.err == nil; n-- {
			list = append(list, r.value(of))
		}
		return list
	}
	if r.err == nil {
		r.err = fmt.Errorf("unknown type %d", kind)
	}
	return nil
}
