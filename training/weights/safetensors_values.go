package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes/float16"
)

// Values are read and written in blocks of this many bytes, so that a tensor needs no memory except
// its own.
const blockBytes = 1 << 16

// Float32 reads the values of a floating-point tensor in row-major order.
func (f *SafetensorsFile) Float32(t Info) ([]float32, error) {
	values := make([]float32, t.Len())
	if err := f.Read(t, values); err != nil {
		return nil, err
	}
	return values, nil
}

// Read is like Float32 but fills the caller's slice of t.Len() values.
func (f *SafetensorsFile) Read(t Info, into []float32) error {
	err := f.read(t, into)
	if err != nil {
		err = fmt.Errorf("%s: tensor %q: %w", f.path, t.Name, err)
	}
	return err
}

func (f *SafetensorsFile) read(t Info, into []float32) error {
	decode, err := decoder(t.DType)
	if err != nil {
		return err
	}
	if len(into) != t.Len() {
		return fmt.Errorf("%d values for a slice of %d", t.Len(), len(into))
	}
	width := int(widths[t.DType])
	raw := make([]byte, min(blockBytes, len(into)*width))
	for done := 0; done < len(into); {
		n := min(len(into)-done, len(raw)/width)
		if _, err := f.file.ReadAt(raw[:n*width], f.base+t.begin+int64(done)*int64(width)); err != nil {
			return err
		}
		if err := decodeInto(into[done:done+n], raw, done, width, decode); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// Decode reads values of a floating-point type (F32, F16, BF16; F64 rounded) in little endian. NaN
// and infinities are errors: no model has them, and one of them spoils every result.
func Decode(dtype string, raw []byte) ([]float32, error) {
	decode, err := decoder(dtype)
	if err != nil {
		return nil, err
	}
	width := int(widths[dtype])
	values := make([]float32, len(raw)/width)
	if err := decodeInto(values, raw, 0, width, decode); err != nil {
		return nil, err
	}
	return values, nil
}

// decodeInto fills values from raw; first is the index of the first value in its tensor.
func decodeInto(values []float32, raw []byte, first, width int, decode func([]byte) float32) error {
	for i := range values {
		v := decode(raw[i*width:])
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("value %d is %v", first+i, v)
		}
		values[i] = v
	}
	return nil
}

// decoder returns a function that reads one value of a floating-point type.
func decoder(dtype string) (func([]byte) float32, error) {
	decode, ok := decoders[dtype]
	if !ok {
		return nil, fmt.Errorf("%s is not a type of weights", dtype)
	}
	return decode, nil
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

// Source is a named float32 tensor whose values are requested when they are written, so that only
// one tensor at a time is in memory.
type Source struct {
	Name  string
	Shape []int
	Half  bool // write F16, rounded to the nearest, in the place of F32
	// Values calls use once with the values in row-major order, which are valid until it returns,
	// and returns its error.
	Values func(use func([]float32) error) error
}

// Write writes tensors as F32 in the given order, with the metadata that HuggingFace's loaders
// require.
func Write(w io.Writer, tensors []Tensor) error {
	list := make([]Source, len(tensors))
	for i, t := range tensors {
		if size := sizeOf(t.Shape); size != len(t.Values) {
			return fmt.Errorf("tensor %q: %d values for shape %v", t.Name, len(t.Values), t.Shape)
		}
		list[i] = Source{Name: t.Name, Shape: t.Shape, Values: func(use func([]float32) error) error { return use(t.Values) }}
	}
	return WriteFrom(w, list)
}

// WriteFrom is like Write with only one tensor at a time in memory.
func WriteFrom(w io.Writer, list []Source) error {
	header, err := header(list)
	if err != nil {
		return err
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	block := make([]byte, 0, blockBytes)
	for _, t := range list {
		err := t.Values(func(values []float32) error {
			if size := sizeOf(t.Shape); size != len(values) {
				return fmt.Errorf("%d values for shape %v", len(values), t.Shape)
			}
			return t.writeValues(w, values, block)
		})
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	return nil
}

// dtype is the type in which the tensor is written.
func (t *Source) dtype() string {
	if t.Half {
		return "F16"
	}
	return "F32"
}

// writeValues writes values through an empty block.
func (t *Source) writeValues(w io.Writer, values []float32, block []byte) error {
	for part := range slices.Chunk(values, cap(block)/4) {
		block = block[:0]
		for _, v := range part {
			if t.Half {
				block = binary.LittleEndian.AppendUint16(block, float16.FromFloat32(v).Bits())
			} else {
				block = binary.LittleEndian.AppendUint32(block, math.Float32bits(v))
			}
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}
