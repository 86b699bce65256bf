package runners

import "encoding/binary"

// Counts is a sparse matrix of term counts: an entry takes two bytes or three, of eight
// that a Posting takes.
type PostingCounts struct{ packed }

// large is the byte of a count that it and what stands behind it add up to. A bit of the
// other beside it would spare the byte of most counts, which are 1, and take twice the
// time to read: which have it follows no pattern that a processor could guess.
const large = 255

// NewCounts is an empty matrix. In one of ascending rows the entries of a row come in the
// order of Other.
func NewPostingCounts(ascending bool) *PostingCounts {
	return &PostingCounts{packed{ascending: ascending}}
}

// Add appends an entry to a row. The count is at least 1.
func (m *PostingCounts) Add(row int32, p Posting) {
	other := m.written(row, p.Other)
	grown := binary.AppendUvarint(m.rows[row], other)
	if p.Count < large {
		grown = append(grown, byte(p.Count))
	} else {
		grown = binary.AppendUvarint(append(grown, large), uint64(p.Count-large))
	}
	m.put(row, grown)
}

// Row returns the entries of a row, in the order in which they were added.
func (m *PostingCounts) Row(row int32) PostingEntries {
	e := PostingEntries{rest: m.rows[row], ascending: m.ascending}
	if m.ascending {
		e.other = -1
	}
	return e
}

// Entries are those of a row that Next has not returned yet.
type PostingEntries struct {
	rest      []byte
	other     int32
	ascending bool
}

// Fill returns as many of the next entries as dst holds, in its memory: none behind the
// last. For long rows it is faster than Next.
func (e *PostingEntries) Fill(dst []Posting) []Posting {
	rest, other, ascending, n := e.rest, e.other, e.ascending, 0
	for ; n < len(dst) && len(rest) > 0; n++ {
		v := uint64(rest[0])
		if v < 0x80 { // as most are; number is not inlined
			rest = rest[1:]
		} else {
			v, rest = number(rest)
		}
		if ascending {
			other += int32(v)
		} else {
			other = int32(v)
		}
		count := int32(rest[0])
		if rest = rest[1:]; count == large {
			v, rest = number(rest)
			count += int32(v)
		}
		dst[n] = Posting{other, count}
	}
	e.rest, e.other = rest, other
	return dst[:n]
}

// Next returns the next entry; the count is 0 behind the last.
func (e *PostingEntries) Next() Posting {
	var one [1]Posting
	e.Fill(one[:])
	return one[0]
}
