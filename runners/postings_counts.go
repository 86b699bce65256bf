package runners

import "encoding/binary"

// postingCounts is a sparse matrix of term counts. An entry takes two or three bytes; a posting
// in memory takes eight.
type postingCounts struct{ packed }

// large marks a count of at least 255: the number after it is added to it. A bit in the other
// number could save the byte of most counts, which are 1, but reading would take twice the
// time, since no processor could predict the bit.
const large = 255

// newPostingCounts returns an empty matrix. With ascending rows, the entries of a row must be
// added in the order of Other.
func newPostingCounts(ascending bool) *postingCounts {
	return &postingCounts{packed{ascending: ascending}}
}

// Add appends an entry to a row. The count is at least 1.
func (m *postingCounts) Add(row int32, p posting) {
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
func (m *postingCounts) Row(row int32) postingEntries {
	e := postingEntries{rest: m.rows[row], ascending: m.ascending}
	if m.ascending {
		e.other = -1
	}
	return e
}

// postingEntries are the remaining entries of a row.
type postingEntries struct {
	rest      []byte
	other     int32
	ascending bool
}

// Fill fills dst with the next entries and returns them; the result is empty after the last.
// For long rows it is faster than Next.
func (e *postingEntries) Fill(dst []posting) []posting {
	rest, other, ascending, n := e.rest, e.other, e.ascending, 0
	for ; n < len(dst) && len(rest) > 0; n++ {
		v := uint64(rest[0])
		if v < 0x80 { // the usual case; number is not inlined
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
		dst[n] = posting{other, count}
	}
	e.rest, e.other = rest, other
	return dst[:n]
}

// Next returns the next entry; after the last its count is 0.
func (e *postingEntries) Next() posting {
	var one [1]posting
	e.Fill(one[:])
	return one[0]
}
