package runners

import "encoding/binary"

// posting is an entry of a matrix of term counts. In the row of a document, Other is a term; in
// the row of a term, a document.
type posting struct{ Other, Count int32 }

// packed is a sparse matrix in memory, an inverted index: its rows are packed entries.
type packed struct {
	rows [][]byte
	// ascending rows hold differences: their entries come in the order of Other, as in the row
	// of a term, to which documents are added one after the other.
	ascending bool
	last      []int32 // Other of the last entry of each row, if ascending
	lengths   []int32 // number of entries of each row
	bytes     int64   // size of all rows
}

// Grow makes at least that many rows.
func (m *packed) Grow(rows int) {
	for len(m.rows) < rows {
		m.rows, m.lengths = append(m.rows, nil), append(m.lengths, 0)
		if m.ascending {
			m.last = append(m.last, -1)
		}
	}
}

// Len is the number of entries of a row.
func (m *packed) Len(row int32) int { return int(m.lengths[row]) }

// Bytes is the size of the entries of all rows.
func (m *packed) Bytes() int64 { return m.bytes }

// written is the number that encodes other at the end of a row.
func (m *packed) written(row, other int32) uint64 {
	if !m.ascending {
		return uint64(other)
	}
	difference := other - m.last[row]
	m.last[row] = other
	return uint64(difference)
}

// put sets the bytes of a row after an entry was appended.
func (m *packed) put(row int32, grown []byte) {
	m.bytes += int64(len(grown) - len(m.rows[row]))
	m.rows[row] = grown
	m.lengths[row]++
}

// number decodes a number, usually of one or two bytes, and returns the rest.
func number(rest []byte) (v uint64, after []byte) {
	first := rest[0]
	if first < 0x80 {
		return uint64(first), rest[1:]
	}
	if second := rest[1]; second < 0x80 {
		return uint64(first&0x7f) | uint64(second)<<7, rest[2:]
	}
	v, n := binary.Uvarint(rest)
	return v, rest[n:]
}
