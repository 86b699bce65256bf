package kernel

import "unsafe"

// tileFunc is the innermost product.
type tileFunc func(rows, columns, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)

// micro holds a kernel set's functions for products.
type micro struct {
	rows, columns int // size of the largest tile

	// tile computes rows × columns of C = A·B, or C += A·B, over k steps of consecutive
	// columns of B, each element a chain of fused multiply-adds.
	tile tileFunc

	// copyRows copies rows of at most columns elements.
	copyRows func(dst *float32, dstRow int, src *float32, srcRow, rows, columns int)

	// rounding is nil for products of float32 numbers.
	rounding *rounding

	// transposers are sorted by falling width; each width is a divisor of the one before.
	transposers []transposer
}

// transposer writes the first 4·quads elements of width rows of src as 4·quads rows of width
// elements of dst.
type transposer struct {
	width     int
	transpose func(dst *float32, dstRow int, src *float32, srcRow, quads int)
}

// panel packs rows k0 to k0+k and columns j0 to j0+n of b into rows of m.columns elements of
// dst; if n is less than m.columns, the rest of a row is unchanged.
func (m *micro) panel(dst []float32, b View, k0, k, j0, n int) {
	src := b.Data[k0*b.Row+j0*b.Column:]
	switch {
	case b.Column == 1:
		m.copyRows(&dst[0], m.columns, &src[0], b.Row, k, n)
	case b.Row == 1:
		m.transposed(dst, src, b.Column, k, n)
	default:
		scattered(dst, m.columns, src, b, k, 0, n)
	}
}

// transposed is panel for n rows of k elements of a transposed matrix. The last rows and the
// last steps are transposed together with some that already were; only remainders smaller
// than one transposer are left to scattered.
func (m *micro) transposed(dst, src []float32, row, k, n int) {
	j := 0
	for i, t := range m.transposers {
		for ; k >= 4 && n-j >= t.width; j += t.width {
			m.turn(t, dst, src, row, k, j)
		}
		if i == len(m.transposers)-1 && k >= 4 && j < n && n >= t.width {
			m.turn(t, dst, src, row, k, n-t.width)
			j = n
		}
	}
	if j < n {
		scattered(dst, m.columns, src, View{Row: 1, Column: row}, k, j, n)
	}
}

// turn transposes k elements, at least 4, of the rows from j on.
func (m *micro) turn(t transposer, dst, src []float32, row, k, j int) {
	t.transpose(&dst[j], m.columns, &src[j*row], row, k/4)
	if k%4 != 0 {
		t.transpose(&dst[(k-4)*m.columns+j], m.columns, &src[j*row+k-4], row, 1)
	}
}

// scattered copies k rows of columns j to end of b, whose data is src, element by element.
func scattered(dst []float32, columns int, src []float32, b View, k, j, end int) {
	for ; j < end; j++ {
		from, to := j*b.Column, j
		for range k {
			dst[to] = src[from]
			from += b.Row
			to += columns
		}
	}
}

// copyRows copies rows of columns elements in Go.
func copyRows(dst *float32, dstRow int, src *float32, srcRow, rows, columns int) {
	to := unsafe.Slice(dst, (rows-1)*dstRow+columns)
	from := unsafe.Slice(src, (rows-1)*srcRow+columns)
	for i := range rows {
		copy(to[i*dstRow:][:columns], from[i*srcRow:])
	}
}
