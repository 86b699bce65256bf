package kernel

// View is a matrix inside a slice: element (i, j) is Data[i·Row + j·Column], so that a
// transposed matrix is a view with Row and Column exchanged.
type View struct {
	Data        []float32
	Row, Column int // distances between rows and between columns, in elements
}

// Product is C = A·B for each of Batch matrices: A is M × K, B is K × N, and C is M × N
// with consecutive elements in a row. With Accumulate it is C += A·B.
type Product struct {
	M, N, K    int
	A, B       View
	C          []float32
	CRow       int // distance between rows of C, at least N
	Batch      int // number of products; 0 is 1
	ABatch     int // distances between the matrices of a batch; 0 repeats the first
	BBatch     int
	CBatch     int
	Accumulate bool
}

// Each runs do(0) to do(n-1), in any order and at once where it can, and returns when all
// are done.
type Each func(n int, do func(i int))

// InTurn is the Each of one goroutine.
func InTurn(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// Run computes the product; parts of it are given to each, and the result is the same
// bytes for every Each.
func (p *Product) Run(each Each) {
	each(max(p.Batch, 1), func(i int) { p.portable(i) })
}

// portable computes the product with number b of the batch.
func (p *Product) portable(b int) {
	a, bm, c := p.A.Data[b*p.ABatch:], p.B.Data[b*p.BBatch:], p.C[b*p.CBatch:]
	for i := range p.M {
		row := c[i*p.CRow:][:p.N]
		if !p.Accumulate {
			clear(row)
		}
		for k := range p.K {
			v := a[i*p.A.Row+k*p.A.Column]
			for j := range row {
				row[j] += v * bm[k*p.B.Row+j*p.B.Column]
			}
		}
	}
}
