package kernel

import "sync"

// The division of a product follows Goto and BLIS: C is divided into tasks for goroutines, a
// task into blocks of K that fit the caches, a block into panels of B that stay in the first
// cache while the rows of A pass, and a panel into tiles. K is not divided between tasks, and
// tiles continue the sums of the block before, so no choice here changes a result.
const (
	kBlock       = 256     // steps of K per block: a panel of B has at most 32 KiB
	rowBlock     = 120     // rows of a task: 120 KiB of A, in the second cache
	ownRows      = 256     // up to this number of rows, a task has all rows and packs its own B
	sharedSize   = 1 << 20 // elements of B packed at a time for all tasks
	taskLeast    = 1 << 19 // multiply-adds of a task, about 10 µs
	taskMost     = 1 << 24
	tasksIdeal   = 16
	packTask     = 1 << 15 // elements of B that a task packs
	packedAWidth = 512     // columns that share packed rows of A

	roundedAWidth = 2048 // the same for rounded rows, which are packed even if they are contiguous
)

// division is a product that is being computed.
type division struct {
	*Product
	*micro
	packA, packB bool
	height       int // rows of a task
	width        int // columns of a task
	steps        int // K, or the number of pairs in K (rounding)
	// A round of tasks covers columns first to end and steps from to to; shared is their packed
	// B, if the tasks share one.
	first, end int
	from, to   int
	shared     []float32
}

// divide chooses the division from sizes and strides alone.
func (p *Product) divide(m *micro, each Each) {
	d := division{Product: p, micro: m, end: p.N, steps: divideUp(p.K, m.unit())}
	d.to = d.steps
	// If rows of A are contiguous, A is read in place. A transposed A would be read across
	// all its memory for every panel of B.
	d.packA = p.A.Column != 1 && p.N > m.columns
	// B is read in place if few rows need it, or if it is small and dense. Rounded numbers are
	// always packed.
	d.packB = p.B.Column != 1 || p.M > 3*m.rows && p.K*p.B.Row > 4096 || m.rounding != nil
	d.height = rowBlock
	if p.M <= ownRows && d.packB {
		d.height = p.M
	}
	d.height = min(d.height, p.M)
	task := min(max(p.Batch*p.M*p.N*d.steps/tasksIdeal, taskLeast), taskMost)
	d.width = min(roundUp(task/(d.height*d.steps), m.columns), roundUp(p.N, m.columns))
	if served := d.served(); served > 0 && p.Batch == 1 {
		// Packed rows of A should serve many columns.
		d.width = min(roundUp(p.N, m.columns), served)
		d.height = min(max(roundUp(task/(d.width*d.depth()), m.rows), 2*m.rows), d.height)
	}
	if d.packB && d.height < p.M {
		d.withShared(each)
		return
	}
	d.tasks(each, task)
}

// served returns the number of columns that share packed rows of A; 0 if A is not packed.
func (d *division) served() int {
	switch {
	case d.rounding != nil:
		return roundedAWidth
	case d.packA:
		return packedAWidth
	}
	return 0
}

// tasks divides the matrices of the batch between goroutines: a task is part of a matrix, or
// several matrices.
func (d *division) tasks(each Each, task int) {
	down, across := divideUp(d.M, d.height), divideUp(d.N, d.width)
	matrices := 1
	if down*across == 1 {
		matrices = max(task/(d.M*d.N*d.steps), 1)
	}
	each(divideUp(d.Batch, matrices)*down*across, func(i int) {
		s := scratch.Get().(*buffers)
		defer scratch.Put(s)
		part := i % (down * across)
		first := i / (down * across) * matrices
		for b := first; b < min(first+matrices, d.Batch); b++ {
			d.block(s, b, part%down*d.height, part/down*d.width)
		}
	})
}

// depth returns the number of steps of K in a round with a shared B: all of them, or, for a
// large B, a multiple of the block.
func (d *division) depth() int {
	whole := roundUp(d.N, d.columns)
	if whole*d.steps <= sharedSize {
		return d.steps
	}
	return min(max(sharedSize/whole/kBlock, 1)*kBlock, d.steps)
}

// withShared packs B before the tasks, in portions that fit into memory.
func (d *division) withShared(each Each) {
	depth := d.depth()
	across := max(sharedSize/depth/d.columns, 1) * d.columns
	buffer := packs.Get().(*[]float32)
	defer packs.Put(buffer)
	for b := range d.Batch {
		for d.first = 0; d.first < d.N; d.first += across {
			d.end = min(d.first+across, d.N)
			for d.from = 0; d.from < d.steps; d.from += depth {
				d.to = min(d.from+depth, d.steps)
				d.shared = sized(buffer, divideUp(d.end-d.first, d.columns)*d.columns*(d.to-d.from))
				d.round(each, b)
			}
		}
	}
}

// round packs and multiplies one part of B.
func (d *division) round(each Each, b int) {
	// Rows of B are read from one end to the other.
	panels, steps := divideUp(d.end-d.first, d.columns), d.to-d.from
	rows := steps
	if d.B.Column == 1 {
		rows = max(packTask/(d.end-d.first), 1)
	}
	view := d.bOf(b)
	across := divideUp(steps, rows)
	group := max(packTask/(rows*d.columns), 1)
	each(divideUp(panels, group)*across, func(i int) {
		k := i % across * rows
		for p := i / across * group; p < min((i/across+1)*group, panels); p++ {
			j := d.first + p*d.columns
			d.take(d.shared[(p*steps+k)*d.columns:], view, d.from+k, min(rows, steps-k), j, min(d.columns, d.end-j))
		}
	})
	down := divideUp(d.M, d.height)
	each(down*divideUp(d.end-d.first, d.width), func(i int) {
		s := scratch.Get().(*buffers)
		defer scratch.Put(s)
		d.block(s, b, i%down*d.height, d.first+i/down*d.width)
	})
}

func (d *division) bOf(b int) View {
	return View{d.B.Data[b*d.BBatch:], d.B.Row, d.B.Column}
}

// block computes the task that begins at (i, j) in matrix b.
func (d *division) block(s *buffers, b, i, j int) {
	t := block{division: d, b: d.bOf(b), c: d.C[b*d.CBatch:], top: i, rows: min(d.height, d.M-i)}
	t.a = View{d.A.Data[b*d.ABatch+i*d.A.Row:], d.A.Row, d.A.Column}
	t.tiles = divideUp(t.rows, d.rows)
	steps := d.to - d.from
	step := roundUp(divideUp(steps, divideUp(steps, kBlock)), 4)
	for t.k0 = d.from; t.k0 < d.to; t.k0 += step {
		t.k = min(step, d.to-t.k0)
		switch {
		case d.rounding != nil:
			t.roundA(s)
		case d.packA:
			t.takeA(s)
		}
		for at := j; at < min(j+d.width, d.end); at += d.columns {
			t.column(s, at, min(d.columns, d.end-at))
		}
	}
}

// block is the part of a task for one block of K.
type block struct {
	*division
	a, b      View // a begins at the task's first row
	c         []float32
	top, rows int
	tiles     int
	k0, k     int
	packed    []float32 // packed rows of A: by tile, or rounded rows
}

// tileRows returns the first row and the end of a tile; tiles share the rows evenly.
func (t *block) tileRows(tile int) (first, end int) {
	return tile * t.rows / t.tiles, (tile + 1) * t.rows / t.tiles
}

// takeA packs the block's rows of A: for each tile, rows of its columns.
func (t *block) takeA(s *buffers) {
	size := t.micro.rows * t.k
	t.packed = sized(&s.a, t.tiles*size)
	for tile := range t.tiles {
		i, end := t.tileRows(tile)
		src := t.a.Data[i*t.a.Row+t.k0*t.a.Column:]
		if t.a.Row == 1 {
			t.copyRows(&t.packed[tile*size], t.micro.rows, &src[0], t.a.Column, t.k, end-i)
		} else {
			scattered(t.packed[tile*size:], t.micro.rows, src, View{Row: t.a.Column, Column: t.a.Row}, t.k, 0, end-i)
		}
	}
}

// column computes the block's tiles of n columns from j on.
func (t *block) column(s *buffers, j, n int) {
	var b *float32
	row := t.columns
	switch {
	case t.shared != nil:
		b = &t.shared[(j-t.first)*(t.to-t.from)+(t.k0-t.from)*row]
	case t.packB:
		own := sized(&s.b, t.k*row)
		t.take(own, t.b, t.k0, t.k, j, n)
		b = &own[0]
	default:
		b, row = &t.b.Data[t.k0*t.b.Row+j], t.b.Row
	}
	for tile := range t.tiles {
		i, end := t.tileRows(tile)
		a, aRow, aColumn := t.rowsOf(tile, i)
		t.tile(end-i, n, t.k, a, aRow, aColumn, b, row, &t.c[(t.top+i)*t.CRow+j], t.CRow, t.Accumulate || t.k0 > 0)
	}
}

// rowsOf returns the start of a tile's A, and its strides.
func (t *block) rowsOf(tile, i int) (a *float32, row, column int) {
	if t.rounding != nil {
		return &t.packed[i*t.k], t.k, 1
	}
	if t.packA {
		return &t.packed[tile*t.micro.rows*t.k], 1, t.micro.rows
	}
	return &t.a.Data[i*t.a.Row+t.k0*t.a.Column], t.a.Row, t.a.Column
}

// buffers are a task's own packed parts.
type buffers struct{ a, b, unrounded []float32 }

var (
	scratch = sync.Pool{New: func() any { return new(buffers) }}
	packs   = sync.Pool{New: func() any { return new([]float32) }}
)

// sized returns the buffer with n elements of arbitrary values.
func sized(buffer *[]float32, n int) []float32 {
	if cap(*buffer) < n {
		*buffer = make([]float32, n)
	}
	return (*buffer)[:n]
}

func divideUp(a, b int) int { return (a + b - 1) / b }

func roundUp(a, b int) int { return max(divideUp(a, b), 1) * b }
