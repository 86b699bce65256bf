package codes

import (
	"encoding/binary"
	"math"
)

// RowBytes is the size of a vector in a row of bytes: its codes and their scale.
func (f Form) RowBytes(dim int) int {
	switch f {
	case Float16:
		return 4 + 2*dim
	case Int8:
		return 4 + dim
	}
	return 4 * dim
}

// AppendRow appends a vector of finite values to rows.
func (f Form) AppendRow(rows []byte, v []float32) []byte {
	if f != Float16 && f != Int8 {
		for _, x := range v {
			rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(x))
		}
		return rows
	}
	c := New(f, 1, len(v))
	c.Set(0, v)
	rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(c.Scales[0]))
	for _, h := range c.halves {
		rows = binary.LittleEndian.AppendUint16(rows, h)
	}
	for _, b := range c.bytes {
		rows = append(rows, byte(b))
	}
	return rows
}

// ReadRow sets v to the contents of a row of its length: the appended vector, or its codes
// times their scale.
func (f Form) ReadRow(v []float32, row []byte) {
	if f != Float16 && f != Int8 {
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
		return
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(row))
	row = row[4:]
	if f == Int8 {
		for i, b := range row[:len(v)] {
			v[i] = float32(int8(b)) * scale
		}
		return
	}
	for i := range v { // without the kernel, which would need a new copy for each row
		h := binary.LittleEndian.Uint16(row[2*i:])
		value := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
		v[i] = math.Float32frombits(math.Float32bits(value)|uint32(h&0x8000)<<16) * scale
	}
}
