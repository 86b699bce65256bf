package kernel

import "math"

// rounding has the functions of a micro that round operands to bfloat16 as they are packed.
type rounding struct {
	// unit is the number of steps of K in a step of the tile. With 2, an element is a pair of
	// bfloat16 numbers, the first of them in the upper half; with 1, it is a rounded float32.
	unit int

	// They round rows of at most 32 columns: a joins neighbours, b joins pairs of rows, and its
	// rows are those of dst.
	a, b func(dst *float32, dstRow int, src *float32, srcRow, rows, columns int)
}

// unit returns the number of steps of K in a step of the tile.
func (m *micro) unit() int {
	if m.rounding == nil {
		return 1
	}
	return m.rounding.unit
}

// take is panel, rounded if the product is.
func (d *division) take(dst []float32, b View, k0, k, j, n int) {
	if d.rounding == nil {
		d.panel(dst, b, k0, k, j, n)
		return
	}
	at := k0 * d.rounding.unit
	rows := min(k*d.rounding.unit, d.K-at)
	if whole := rows / d.rounding.unit; b.Column == 1 && whole > 0 {
		d.rounding.b(&dst[0], d.columns, &b.Data[at*b.Row+j], b.Row, whole, n)
		dst, at, rows, k = dst[whole*d.columns:], at+whole*d.rounding.unit, rows%d.rounding.unit, k-whole
	}
	if k == 0 {
		return
	}
	s := scratch.Get().(*buffers)
	defer scratch.Put(s)
	unrounded := sized(&s.unrounded, k*d.rounding.unit*d.columns)
	d.panel(unrounded, b, at, rows, j, n)
	for i := rows * d.columns; i < len(unrounded); i++ {
		unrounded[i] = negativeZero // times the zero of A: the only number that changes no sum
	}
	d.rounding.b(&dst[0], d.columns, &unrounded[0], d.columns, k, n)
}

// roundA packs the block's rows of A, rounded, one after the other.
func (t *block) roundA(s *buffers) {
	at := t.k0 * t.rounding.unit
	columns := min(t.k*t.rounding.unit, t.K-at)
	src, row := t.a.Data[at*t.a.Column:], t.a.Row
	if t.a.Column != 1 {
		unrounded := sized(&s.unrounded, t.rows*columns)
		scattered(unrounded, columns, src, t.a, t.rows, 0, columns)
		src, row = unrounded, columns
	}
	t.packed = sized(&s.a, t.rows*t.k)
	// A row is read from one end to the other, as rows of 32 columns.
	whole, rest := columns/32, columns%32
	for i := range t.rows {
		dst, src := t.packed[i*t.k:], src[i*row:]
		if whole > 0 {
			t.rounding.a(&dst[0], 32/t.rounding.unit, &src[0], 32, whole, 32)
		}
		if rest > 0 {
			t.rounding.a(&dst[whole*32/t.rounding.unit], 0, &src[whole*32], 0, 1, rest)
		}
	}
}

// roundedRow is portableRow for a product of bfloat16 numbers.
func (p *Product) roundedRow(row, a, b []float32) {
	for k := range p.K {
		v := float64(toBFloat16(a[k*p.A.Column]))
		for j := range row {
			// The product and the sum in float64 are exact, or so close that the result is.
			row[j] = flushed(v*float64(toBFloat16(b[k*p.B.Row+j*p.B.Column])) + float64(flushed(float64(row[j]))))
		}
	}
}

// toBFloat16 rounds a number to bfloat16, the even number at ties, and a denormal number to
// zero.
func toBFloat16(v float32) float32 {
	bits := math.Float32bits(v)
	switch {
	case v != v:
		return v
	case bits&0x7f800000 == 0:
		return math.Float32frombits(bits & (1 << 31))
	}
	return math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
}

// flushed rounds a number to float32, and to zero if its magnitude, rounded to 24 bits, is
// below the normal numbers.
func flushed(v float64) float32 {
	if math.Abs(v) < 0x1p-126*(1-0x1p-25) {
		return float32(math.Copysign(0, v))
	}
	return float32(v)
}
