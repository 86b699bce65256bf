package kernel

// View is a matrix inside a slice: element (i, j) is Data[i·Row + j·Column]. A transposed
// matrix is a view with Row and Column exchanged. Distances are not negative.
type View struct {
	Data        []float32
	Row, Column int // distances between rows and between columns, in elements
}

func (v View) transposed() View { return View{v.Data, v.Column, v.Row} }

// Product is C = A·B for each of Batch matrices: A is M × K, B is K × N, and C is M × N with
// consecutive elements in a row. With Accumulate it is C += A·B.
//
// Each element of C is one chain of fused multiply-adds in the order of K, in the sets of
// every processor (the portable set also rounds each product). It depends only on a row of A,
// a column of B and, with Accumulate, the old value in C. It does not depend on its position
// in a matrix or batch, on other elements, or on the layout in memory. A zero times NaN or an
// infinity is NaN.
type Product struct {
	M, N, K    int
	A, B       View
	C          []float32
	CRow       int // distance between rows of C, at least N
	Batch      int // number of products; 0 means 1
	ABatch     int // distances between the matrices of a batch; 0 reuses the first
	BBatch     int
	CBatch     int
	Accumulate bool

	// BFloat16 rounds A and B to bfloat16, the even number at ties. Denormal numbers, also sums
	// and elements of C, count as zero with their sign. All sets give the same bytes, except for
	// the bits of NaN. This is the arithmetic of the instruction VDPBF16PS; it is fast if
	// HasBFloat16.
	BFloat16 bool
}

// Each runs do(0) to do(n-1), in any order and possibly in parallel, and returns when all are
// done.
type Each func(n int, do func(i int))

// InTurn is the Each that uses only the calling goroutine.
func InTurn(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// Run computes the product. It passes the parts to each; the result has the same bytes for
// every Each. It panics if a matrix reaches beyond its slice.
func (p *Product) Run(each Each) {
	q := p.folded()
	if q.M <= 0 || q.N <= 0 {
		return
	}
	q.check()
	m := &current.micro
	if q.BFloat16 {
		m = current.bfloat16()
	}
	if q.K <= 0 || m.tile == nil {
		each(q.Batch, q.plain)
		return
	}
	q.divide(m, each)
}

// folded returns the same product with at least one matrix. A batch that only continues the
// rows of its first matrix becomes a single product, and a column of C becomes a row.
func (p *Product) folded() *Product {
	q := *p
	q.Batch = max(q.Batch, 1)
	if q.BBatch == 0 && q.ABatch == q.M*q.A.Row && q.CBatch == q.M*q.CRow && q.M > 0 {
		q.M *= q.Batch
		q.Batch = 1
	}
	if q.N == 1 && q.CRow == 1 {
		q.M, q.N, q.CRow = 1, q.M, q.M
		q.A, q.B = q.B.transposed(), q.A.transposed()
		q.ABatch, q.BBatch = q.BBatch, q.ABatch
	}
	return &q
}

// check panics, as Go's indexing does, if the last element of a matrix is not in its slice.
func (p *Product) check() {
	last := p.Batch - 1
	_ = p.C[last*p.CBatch+(p.M-1)*p.CRow+p.N-1]
	if p.K > 0 {
		_ = p.A.Data[last*p.ABatch+(p.M-1)*p.A.Row+(p.K-1)*p.A.Column]
		_ = p.B.Data[last*p.BBatch+(p.K-1)*p.B.Row+(p.N-1)*p.B.Column]
	}
}

// plain computes product number b of the batch.
func (p *Product) plain(b int) {
	c := p.C[b*p.CBatch:]
	for i := range p.M {
		row := c[i*p.CRow:][:p.N]
		if !p.Accumulate {
			clear(row)
		}
		switch {
		case p.K <= 0:
		case p.BFloat16:
			p.roundedRow(row, p.A.Data[b*p.ABatch+i*p.A.Row:], p.B.Data[b*p.BBatch:])
		default:
			p.portableRow(row, p.A.Data[b*p.ABatch+i*p.A.Row:], p.B.Data[b*p.BBatch:])
		}
	}
}

func (p *Product) portableRow(row, a, b []float32) {
	for k := range p.K {
		v := a[k*p.A.Column]
		for j := range row {
			row[j] += v * b[k*p.B.Row+j*p.B.Column]
		}
	}
}
