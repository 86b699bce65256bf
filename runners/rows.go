package runners

import "sort"

// rows are vectors at a regular stride in memory: row i is values[i*stride:][:dim].
type rows struct {
	values []float32
	stride int
	n      int
}

// row is one vector of dim values.
func (r *rows) row(i, dim int) []float32 { return r.values[i*r.stride:][:dim] }

// vectors are rows in the memory of several owners, in order.
type vectors struct {
	dim   int
	parts []rows
	ends  []int // for each part, the number of vectors up to its end
}

func (v *vectors) reset() { v.parts, v.ends = v.parts[:0], v.ends[:0] }

// len is the number of vectors.
func (v *vectors) len() int {
	if len(v.ends) == 0 {
		return 0
	}
	return v.ends[len(v.ends)-1]
}

// add appends rows. If they follow the last part in memory, they extend it.
func (v *vectors) add(more rows) {
	end := v.len() + more.n
	if last := len(v.parts) - 1; last >= 0 && adjoins(&v.parts[last], &more) {
		v.parts[last].n += more.n
		v.ends[last] = end
		return
	}
	v.parts, v.ends = append(v.parts, more), append(v.ends, end)
}

// adjoins reports whether next begins in memory where the next row of r would.
func adjoins(r, next *rows) bool {
	at := r.n * r.stride
	return r.stride == next.stride && len(r.values) > at && &r.values[at] == &next.values[0]
}

// place returns the part of vector i and its row there.
func (v *vectors) place(i int) (part, row int) {
	part = sort.SearchInts(v.ends, i+1)
	return part, i - (v.ends[part] - v.parts[part].n)
}

// row is vector i.
func (v *vectors) row(i int) []float32 {
	part, row := v.place(i)
	return v.parts[part].row(row, v.dim)
}

// slice returns vectors lo to hi: in place if they have a regular stride, or else copied to
// memory, which must have room for them.
func (v *vectors) slice(lo, hi int, memory []float32) rows {
	part, row := v.place(lo)
	if p := &v.parts[part]; hi <= v.ends[part] {
		return rows{p.values[row*p.stride:], p.stride, hi - lo}
	}
	copied := rows{memory, v.dim, hi - lo}
	for i := range copied.n {
		for row == v.parts[part].n {
			part, row = part+1, 0
		}
		copy(copied.row(i, v.dim), v.parts[part].row(row, v.dim))
		row++
	}
	return copied
}
