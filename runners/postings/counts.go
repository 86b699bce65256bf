package postings

import "encoding/binary"

// Counts is a sparse matrix of term counts: an entry takes two bytes or so, of eight that
// a Posting takes.
type Counts struct{ packed }

// NewCounts is an empty matrix. In one of ascending rows the entries of a row come in the
// order of Other.
func NewCounts(ascending bool) *Counts { return &Counts{packed{ascending: ascending}} }

// Add appends an entry to a row. The count is at least 1, and most are: one bit tells.
func (m *Counts) Add(row int32, p Posting) {
	other, grown := m.written(row, p.Other), m.rows[row]
	if p.Count == 1 {
		grown = binary.AppendUvarint(grown, other<<1)
	} else {
		grown = binary.AppendUvarint(grown, other<<1|1)
		grown = binary.AppendUvarint(grown, uint64(p.Count))
	}
	m.put(row, grown)
}

// Row returns the entries of a row, in the order in which they were added.
func (m *Counts) Row(row int32) Entries {
	e := Entries{rest: m.rows[row], ascending: m.ascending}
	if m.ascending {
		e.other = -1
	}
	return e
}

// Entries are those of a row that Next has not returned yet.
type Entries struct {
	rest      []byte
	other     int32
	ascending bool
}

// Next returns the next entry; the count is 0 behind the last.
func (e *Entries) Next() Posting {
	if len(e.rest) == 0 {
		return Posting{}
	}
	v := e.number()
	if e.ascending {
		e.other += int32(v >> 1)
	} else {
		e.other = int32(v >> 1)
	}
	if v&1 == 0 {
		return Posting{e.other, 1}
	}
	return Posting{e.other, int32(e.number())}
}

func (e *Entries) number() (v uint64) {
	v, e.rest = number(e.rest)
	return v
}
