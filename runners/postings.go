package runners

import "encoding/binary"

// posting is one entry of a sparse matrix of term counts: in a row of a
// document, other is a term; in a row of a term, a document.
type posting struct{ other, count int32 }

// matrix is a sparse matrix of counts by rows, each of them packed: an entry takes two
// bytes or so, of eight that a posting takes.
type matrix struct {
	rows [][]byte
	// ascending rows hold differences: their entries come in the order of other, as those
	// of a term do, where documents are added one after the other.
	ascending bool
	last      []int32 // of each row the other of its last entry, if ascending
	lengths   []int32 // of each row its number of entries
	bytes     int64   // of all rows
}

func newMatrix(ascending bool) *matrix { return &matrix{ascending: ascending} }

// grow makes at least so many rows.
func (m *matrix) grow(rows int) {
	for len(m.rows) < rows {
		m.rows, m.lengths = append(m.rows, nil), append(m.lengths, 0)
		if m.ascending {
			m.last = append(m.last, -1)
		}
	}
}

// add appends an entry to a row. The count is at least 1, and most are: one bit tells.
func (m *matrix) add(row int32, p posting) {
	other := p.other
	if m.ascending {
		other -= m.last[row]
		m.last[row] = p.other
	}
	packed := m.rows[row]
	before := len(packed)
	if p.count == 1 {
		packed = binary.AppendUvarint(packed, uint64(other)<<1)
	} else {
		packed = binary.AppendUvarint(packed, uint64(other)<<1|1)
		packed = binary.AppendUvarint(packed, uint64(p.count))
	}
	m.bytes += int64(len(packed) - before)
	m.rows[row] = packed
	m.lengths[row]++
}

// row returns the entries of a row, in the order in which they were added.
func (m *matrix) row(r int32) entries {
	e := entries{rest: m.rows[r], ascending: m.ascending}
	if m.ascending {
		e.other = -1
	}
	return e
}

// len is the number of entries of a row.
func (m *matrix) len(r int32) int { return int(m.lengths[r]) }

// entries are those of a row that next has not returned yet.
type entries struct {
	rest      []byte
	other     int32
	ascending bool
}

// next returns the next entry; the count is 0 behind the last.
func (e *entries) next() posting {
	if len(e.rest) == 0 {
		return posting{}
	}
	v := e.number()
	if e.ascending {
		e.other += int32(v >> 1)
	} else {
		e.other = int32(v >> 1)
	}
	if v&1 == 0 {
		return posting{e.other, 1}
	}
	return posting{e.other, int32(e.number())}
}

// number unpacks a number, most of which have one byte or two.
func (e *entries) number() uint64 {
	first := e.rest[0]
	if first < 0x80 {
		e.rest = e.rest[1:]
		return uint64(first)
	}
	if second := e.rest[1]; second < 0x80 {
		e.rest = e.rest[2:]
		return uint64(first&0x7f) | uint64(second)<<7
	}
	v, n := binary.Uvarint(e.rest)
	e.rest = e.rest[n:]
	return v
}
