package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// layout is the layout of a test's matrix in memory.
type layout struct {
	transposed bool
	gap        int // unused elements between rows
	skipped    int // unused elements after each element
}

var layouts = []layout{{false, 0, 0}, {true, 0, 0}, {false, 3, 0}, {true, 5, 0}, {false, 1, 1}}

// view returns a matrix of rows × columns, and the number of elements of a batch of n of
// them.
func (l layout) view(rows, columns, n int) (v View, batch, size int) {
	if l.transposed {
		rows, columns = columns, rows
	}
	v = View{Row: columns*(1+l.skipped) + l.gap, Column: 1 + l.skipped}
	batch = rows*v.Row + l.gap
	size = (n-1)*batch + (rows-1)*v.Row + (columns-1)*v.Column + 1
	if rows == 0 || columns == 0 {
		size = 0
	}
	if l.transposed {
		v.Row, v.Column = v.Column, v.Row
	}
	return v, batch, size
}

// trial is a product to check.
type trial struct {
	m, n, k, batch int
	a, b           layout
	accumulate     bool
	special        int // as in fill
	end            bool
}

func (c trial) String() string {
	return fmt.Sprintf("%d × (%d × %d × %d), A %+v, B %+v, accumulate %v, special %d, at the end of a page %v",
		c.batch, c.m, c.k, c.n, c.a, c.b, c.accumulate, c.special, c.end)
}

// product returns the trial's product with its own values at guarded pages.
func (c trial) product(t testing.TB) *Product {
	random := rand.New(rand.NewPCG(uint64(c.m*1000+c.n), uint64(c.k)))
	p := &Product{M: c.m, N: c.n, K: c.k, Batch: c.batch, Accumulate: c.accumulate, CRow: c.n + 3}
	var size int
	take := func() []float32 {
		values := guarded(t, size, c.end)
		fill(random, values, c.special)
		return values
	}
	p.A, p.ABatch, size = c.a.view(c.m, c.k, c.batch)
	p.A.Data = take()
	p.B, p.BBatch, size = c.b.view(c.k, c.n, c.batch)
	p.B.Data = take()
	p.CBatch = c.m*p.CRow + 1
	size = (c.batch-1)*p.CBatch + (c.m-1)*p.CRow + c.n
	if c.m == 0 || c.n == 0 {
		size = 0
	}
	p.C = take()
	return p
}

// checkProduct compares a product with its exact value, and checks that the memory between
// rows of C is unchanged.
func checkProduct(t *testing.T, c trial) {
	t.Helper()
	p := c.product(t)
	before := append([]float32(nil), p.C...)
	p.Run(InTurn)
	touched := make([]bool, len(p.C))
	some := 1 + c.m*c.n*c.k/1_000_000 // for large products only every some-th element
	for b := range c.batch {
		for i := range c.m {
			for j := range c.n {
				at := b*p.CBatch + i*p.CRow + j
				touched[at] = true
				if at%some != 0 {
					continue
				}
				exact, magnitude := p.exact(before[at], b, i, j)
				if !near(float64(p.C[at]), exact, magnitude, c.k+1) {
					t.Fatalf("%v: element %d (%d, %d) is %g, exact %g", c, b, i, j, p.C[at], exact)
				}
			}
		}
	}
	for i, yes := range touched {
		if !yes && math.Float32bits(p.C[i]) != math.Float32bits(before[i]) {
			t.Fatalf("%v: element %d of C, between rows, was written", c, i)
		}
	}
}

// exact returns an element in float64, and the sum of its terms' magnitudes.
func (p *Product) exact(before float32, b, i, j int) (sum, magnitude float64) {
	if p.Accumulate {
		sum = float64(before)
		magnitude = math.Abs(sum)
	}
	for k := range p.K {
		v := float64(p.A.Data[b*p.ABatch+i*p.A.Row+k*p.A.Column]) * float64(p.B.Data[b*p.BBatch+k*p.B.Row+j*p.B.Column])
		sum += v
		magnitude += math.Abs(v)
	}
	return sum, magnitude
}

// Products of all tail lengths and layouts are exact to the rounding of their terms, with NaN
// and infinities where they belong, and touch nothing else.
func TestProduct(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for m := range 15 {
			for n := range 66 {
				checkProduct(t, trial{m: m, n: n, k: (m*7 + n) % 19, batch: 1, end: n%2 == 0, accumulate: m%2 == 0})
			}
		}
		sizes := []int{0, 1, 2, 5, 12, 13, 26, 31, 33, 50}
		for i := range 400 {
			c := trial{m: sizes[i%10], n: sizes[i*3/7%10], k: sizes[i*5/11%10], batch: 1 + i%3, end: i%2 == 0, accumulate: i%5 < 2,
				a: layouts[i%5], b: layouts[i/5%5], special: []int{0, 0, 2, 60}[i/25%4]}
			checkProduct(t, c)
		}
	})
}

// Products of several tasks, blocks of K and widths of packed panels.
func TestLargeProduct(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for i, size := range [][3]int{{300, 70, 515}, {40, 130, 300}, {1, 333, 384}, {200, 65, 384}, {131, 50, 40}, {260, 33, 1030}, {270, 4500, 280}} {
			for j, a := range layouts {
				checkProduct(t, trial{m: size[0], n: size[1], k: size[2], batch: 1 + i%2, a: a, b: layouts[(i+j)%5], accumulate: i%2 == 0, end: j%2 == 0})
			}
		}
	})
}

// backwards is an Each that begins with the last part; together is one with a goroutine for
// each part.
func backwards(n int, do func(i int)) {
	for i := range n {
		do(n - 1 - i)
	}
}

func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// A product has the same bytes for every Each, layout, number of other rows and columns, and
// place in a batch, and for every set with fused multiply-adds.
func TestProductIsTheSame(t *testing.T) {
	type element struct{ b, i, j int }
	want := map[string]map[element]uint32{}
	eachSet(t, func(t *testing.T) {
		for _, size := range [][3]int{{5, 37, 300}, {300, 70, 515}, {30, 40, 33}} {
			for _, each := range []Each{InTurn, backwards, together} {
				for n, c := range []trial{{}, {a: layouts[1]}, {b: layouts[1]}, {a: layouts[3], b: layouts[4]}, {m: 1}, {n: 3}, {m: 2, n: 5, b: layouts[1]}} {
					whole := c
					whole.m, whole.n, whole.k, whole.batch = size[0], size[1], size[2], 2
					p := valued(t, whole)
					p.M, p.N = p.M-c.m, p.N-c.n
					p.Run(each)
					key := fmt.Sprint(size, Name() == Portable)
					if want[key] == nil {
						want[key] = map[element]uint32{}
					}
					for at := range whole.batch * p.M * p.N {
						e := element{at / p.N / p.M, at / p.N % p.M, at % p.N}
						got := math.Float32bits(p.C[e.b*p.CBatch+e.i*p.CRow+e.j])
						if before, known := want[key][e]; !known {
							want[key][e] = got
						} else if got != before {
							t.Fatalf("%v, trial %d: element %v has other bytes", size, n, e)
						}
					}
				}
			}
		}
	})
}

// valued returns a product of the trial's layout whose elements depend on their row and
// column only.
func valued(t *testing.T, c trial) *Product {
	p := c.product(t)
	set := func(v View, batch, rows, columns int, seed float64) {
		for b := range c.batch {
			for i := range rows {
				for j := range columns {
					v.Data[b*batch+i*v.Row+j*v.Column] = float32(math.Sin(seed + float64(i*columns+j)))
				}
			}
		}
	}
	set(p.A, p.ABatch, c.m, c.k, 1)
	set(p.B, p.BBatch, c.k, c.n, 2)
	return p
}

// A batch that reuses its B, such as a layer's weights, gives the same result as its matrices
// alone, whether or not the rows of A continue from one to the next.
func TestRepeatedMatrix(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, apart := range []int{26 * 33, 26*33 - 5, 0} {
			c := trial{m: 26, n: 40, k: 33, batch: 9}
			p := c.product(t)
			p.BBatch, p.CRow, p.CBatch = 0, 40, 26*40
			p.ABatch = apart
			p.Run(InTurn)
			for b := range c.batch {
				one := *p
				one.Batch, one.A.Data, one.C = 1, p.A.Data[b*p.ABatch:], make([]float32, 26*40)
				one.Run(InTurn)
				for i, v := range one.C {
					if math.Float32bits(v) != math.Float32bits(p.C[b*p.CBatch+i]) {
						t.Fatalf("matrix %d, element %d: %g, alone %g", b, i, p.C[b*p.CBatch+i], v)
					}
				}
			}
		}
	})
}

// A product whose slice is too short panics and is not read beyond its end.
func TestShortMatrix(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, short := range []func(p *Product){
			func(p *Product) { p.A.Data = p.A.Data[1:] },
			func(p *Product) { p.B.Data = p.B.Data[1:] },
			func(p *Product) { p.C = p.C[1:] },
		} {
			p := trial{m: 5, n: 7, k: 9, batch: 2}.product(t)
			short(p)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("computed")
					}
				}()
				p.Run(InTurn)
			}()
		}
	})
}
