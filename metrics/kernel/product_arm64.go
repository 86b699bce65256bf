package kernel

import "unsafe"

// tileNEON computes rows × columns of C = A·B, or C += A·B with accumulate, over k steps.
// Strides are in elements; there are at most six rows.
func tileNEON(rows, columns, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool) {
	for columns > 0 {
		n := 1
		switch {
		case columns >= 16:
			n = 16
			tile16NEON(rows, k, a, aRow, aColumn, b, bRow, c, cRow, accumulate)
		case columns >= 4:
			n = 4
			tile4NEON(rows, k, a, aRow, aColumn, b, bRow, c, cRow, accumulate)
		case columns >= 2:
			n = 2
			tile2NEON(rows, k, a, aRow, aColumn, b, bRow, c, cRow, accumulate)
		default:
			tile1NEON(rows, k, a, aRow, aColumn, b, bRow, c, cRow, accumulate)
		}
		columns -= n
		if columns > 0 {
			b = (*float32)(unsafe.Add(unsafe.Pointer(b), 4*n))
			c = (*float32)(unsafe.Add(unsafe.Pointer(c), 4*n))
		}
	}
}

//go:noescape
func tile16NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)

//go:noescape
func tile4NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)

//go:noescape
func tile2NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)

//go:noescape
func tile1NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)

// copyRowsNEON copies complete rows in assembly.
func copyRowsNEON(dst *float32, dstRow int, src *float32, srcRow, rows, columns int) {
	if columns == 16 {
		copyNEON(dst, dstRow, src, srcRow, rows)
		return
	}
	copyRows(dst, dstRow, src, srcRow, rows, columns)
}

// copyNEON copies rows of sixteen elements.
//
//go:noescape
func copyNEON(dst *float32, dstRow int, src *float32, srcRow, rows int)

// transposeNEON writes 4·quads rows of four columns: the first elements of four rows of src.
//
//go:noescape
func transposeNEON(dst *float32, dstRow int, src *float32, srcRow, quads int)

// dotNEON is Dot with the order of summation that its assembly describes.
//
//go:noescape
func dotNEON(a, b []float32) float32
