package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Float32 reads the values of a floating-point tensor in row-major order.
func (f *File) Float32(t Info) ([]float32, error) {
	raw := make([]byte, t.end-t.begin)
	if _, err := f.file.ReadAt(raw, f.base+t.begin); err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", f.path, t.Name, err)
	}
	values, err := Decode(t.DType, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: tensor %q: %w", f.path, t.Name, err)
	}
	return values, nil
}

// Decode reads values of a floating-point type (F32, F16, BF16; F64 rounded) in little
// endian. NaN and infinities are errors: no model has them, and one of them spoils
// every result.
func Decode(dtype string, raw []byte) ([]float32, error) {
	decode, ok := decoders[dtype]
	if !ok {
		return nil, fmt.Errorf("%s is not a type of weights", dtype)
	}
	width := int(widths[dtype])
	values := make([]float32, len(raw)/width)
	for i := range values {
		v := decode(raw[i*width:])
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("value %d is %v", i, v)
		}
		values[i] = v
	}
	return values, nil
}

var decoders = map[string]func([]byte) float32{
	"F32":  func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) },
	"BF16": func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) },
	"F16":  func(b []byte) float32 { return fromHalf(binary.LittleEndian.Uint16(b)) },
	"F64":  func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
}

// fromHalf widens an IEEE 754 binary16 value, exactly.
func fromHalf(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero or subnormal: fraction * 2^-24
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// Tensor is a named float32 tensor in row-major order.
type Tensor struct {
	Name   string
	Shape  []int
	Values []float32
}

// Write writes tensors as F32 in the order given, with the metadata that
// HuggingFace's loaders ask for.
func Write(w io.Writer, tensors []Tensor) error {
	header, err := header(tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	var raw []byte
	for _, t := range tensors {
		raw = raw[:0]
		for _, v := range t.Values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}
