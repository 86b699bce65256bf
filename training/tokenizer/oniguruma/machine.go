package oniguruma

import (
	"math/bits"
	"unicode/utf8"
)

// machine runs a program over a text. It backtracks like other libraries, but records the outcome
// of every instruction that can be reached in several ways, at every place of the text, and never
// tries it twice. A search over a text takes at most as many steps as the program has instructions,
// times the text's length. (Go's regexp records the same for short texts; Davis, Servant and Lee,
// "Using Selective Memoization to Defeat Regular Expression Denial of Service", 2021, add
// lookaround.)
type machine struct {
	*program
	text  string
	pages []*page
	free  []*page
	kept  int // earlier pages are no longer needed
	stack []frame
	steps int // steps since the machine was made
}

// pageLength is the number of places of a text in a page.
const pageLength = 256

// row has the known outcomes of an instruction at the places of a page.
type row struct{ failed, matched [pageLength / 64]uint64 }

// page has the known outcomes of all instructions at some places.
type page struct {
	rows []row
	ends []int32 // ends of matches, by row and place; only for programs with blocks
}

// frame is an alternative that was not tried yet.
type frame struct {
	at       int32 // the instruction
	kind     frameKind
	low, pos int // of a run: its start, and the end that is being tried
	high     int // of a run: the end that was tried first
}

type frameKind uint8

const (
	another frameKind = iota // the instruction was not tried at pos
	shorter                  // the run can be shorter
	trodden                  // the instruction is being tried at pos: nothing is left to do
)

// reset prepares the machine for a text.
func (m *machine) reset(text string) {
	for _, p := range m.pages {
		m.release(p)
	}
	m.text, m.kept = text, 0
	n := len(text)/pageLength + 1
	if cap(m.pages) < n {
		m.pages = make([]*page, n)
	}
	m.pages = m.pages[:n]
	clear(m.pages)
}

// release recycles a page.
func (m *machine) release(p *page) {
	if p != nil && len(m.free) < 64 {
		clear(p.rows)
		m.free = append(m.free, p)
	}
}

// forget discards the outcomes at places well before one.
func (m *machine) forget(before int) {
	for ; m.kept < before/pageLength-1; m.kept++ {
		m.release(m.pages[m.kept])
		m.pages[m.kept] = nil
	}
}

// page returns the page of a place, and makes it if needed.
func (m *machine) page(pos int) *page {
	p := m.pages[pos/pageLength]
	if p != nil {
		return p
	}
	if n := len(m.free); n > 0 {
		p, m.free = m.free[n-1], m.free[:n-1]
	} else {
		p = &page{rows: make([]row, m.memos)}
		if m.blocks {
			p.ends = make([]int32, m.memos*pageLength)
		}
	}
	m.pages[pos/pageLength] = p
	return p
}

// outcome returns the known outcome of an instruction at a place.
func (m *machine) outcome(memo int32, pos int) (failed, matched bool) {
	p := m.pages[pos/pageLength]
	if p == nil {
		return false, false
	}
	word, bit := pos%pageLength/64, pos%64
	r := &p.rows[memo]
	return r.failed[word]>>bit&1 != 0, r.matched[word]>>bit&1 != 0
}

// keepFailed records that an instruction fails at the places from low to high.
func (m *machine) keepFailed(memo int32, low, high int) {
	m.keep(low, high, func(p *page, word int, mask uint64) { p.rows[memo].failed[word] |= mask })
}

// keepMatched records that an instruction leads from the places from low to high to a match that
// ends at end.
func (m *machine) keepMatched(memo int32, low, high, end int) {
	m.keep(low, high, func(p *page, word int, mask uint64) {
		r := &p.rows[memo]
		r.failed[word] &^= mask
		r.matched[word] |= mask
		for rest := mask; m.blocks && rest != 0; rest &= rest - 1 {
			p.ends[int(memo)*pageLength+word*64+bits.TrailingZeros64(rest)] = int32(end)
		}
	})
}

// keep calls visit for the words of bits of the places from low to high.
func (m *machine) keep(low, high int, visit func(p *page, word int, mask uint64)) {
	for at := low; at <= high; at = at/64*64 + 64 {
		mask := ^uint64(0) << (at % 64)
		if last := at / 64 * 64; high < last+63 {
			mask &= ^uint64(0) >> (last + 63 - high)
		}
		visit(m.page(at), at%pageLength/64, mask)
	}
}

// after returns the character at a place and the place after it; pos at the end.
func (m *machine) after(pos int) (rune, int) {
	if pos >= len(m.text) {
		return 0, pos
	}
	if c := m.text[pos]; c < utf8.RuneSelf {
		return rune(c), pos + 1
	}
	r, n := utf8.DecodeRuneInString(m.text[pos:])
	return r, pos + n
}

// before returns the character before a place and its place; pos at the start.
func (m *machine) before(pos int) (rune, int) {
	if pos == 0 {
		return 0, 0
	}
	r, n := utf8.DecodeLastRuneInString(m.text[:pos])
	return r, pos - n
}

// find returns the first match at or after a place, which must not be before that of the last
// search; start < 0: none.
func (m *machine) find(from int) (start, end int) {
	for pos := from; ; {
		m.forget(pos)
		if end := m.run(m.start, pos, false); end >= 0 {
			m.clear(end)
			return pos, end
		}
		_, next := m.after(pos)
		if next == pos {
			return -1, -1
		}
		pos = next
	}
}

// clear discards the outcomes at a place where a match ended: instructions that were being tried
// there did not fail.
func (m *machine) clear(pos int) {
	p := m.pages[pos/pageLength]
	if p == nil {
		return
	}
	for i := range p.rows {
		p.rows[i].failed[pos%pageLength/64] &^= 1 << (pos % 64)
	}
}

// run returns the end of the first match to which an instruction leads from a place, or -1. inner
// reports whether it is part of a look or a block.
func (m *machine) run(at int32, pos int, inner bool) int {
	base := len(m.stack)
	for {
		m.steps++
		i := &m.code[at]
		ok := true
		if i.memo >= 0 {
			failed, matched := m.outcome(i.memo, pos)
			if matched {
				return m.succeed(base, m.end(i.memo, pos))
			}
			if ok = !failed; ok && i.op != takeRun {
				m.keepFailed(i.memo, pos, pos) // it fails if it returns to this place
				if inner {
					m.stack = append(m.stack, frame{at: at, kind: trodden, pos: pos})
				}
			}
		}
		if ok {
			switch i.op {
			case matched:
				if inner {
					return m.succeed(base, pos)
				}
				m.stack = m.stack[:base]
				return pos
			case split:
				m.stack = append(m.stack, frame{at: i.other, pos: pos})
			case takeRun:
				end, known := m.far(i, pos)
				if known >= 0 {
					return m.succeed(base, known)
				}
				if ok = end > pos || i.min == 0; ok {
					m.stack = append(m.stack, frame{at: at, kind: shorter, low: pos, pos: end, high: end})
					pos = end
				}
			default:
				pos, ok = m.step(i, pos)
			}
		}
		if ok {
			at = i.next
		} else if at, pos, ok = m.back(base); !ok {
			return -1
		}
	}
}

// end returns the end of a known match; for looks any place is valid.
func (m *machine) end(memo int32, pos int) int {
	if !m.blocks {
		return pos
	}
	return int(m.pages[pos/pageLength].ends[int(memo)*pageLength+pos%pageLength])
}

// far returns the end of a run: where the characters of its table end, or a place from which it is
// known to fail. known is the end of a match that is known from there, or -1.
func (m *machine) far(i *instruction, pos int) (end, known int) {
	for end = pos; end < len(m.text); {
		r, next := m.after(end)
		if !i.table.has(r) {
			break
		}
		end = next
		m.steps++
		if failed, matched := m.outcome(i.memo, end); matched {
			known = m.end(i.memo, end)
			m.keepMatched(i.memo, pos, end, known)
			return end, known
		} else if failed {
			break
		}
	}
	return end, -1
}

// step executes an instruction that leads to one place or none.
func (m *machine) step(i *instruction, pos int) (next int, ok bool) {
	switch i.op {
	case takeOne:
		var r rune
		if i.back {
			r, next = m.before(pos)
		} else {
			r, next = m.after(pos)
		}
		return next, next != pos && i.table.has(r)
	case peek:
		r, after := m.after(pos)
		return pos, (after != pos && i.table.has(r)) != i.negative
	case lookAt:
		return pos, m.run(i.other, pos, true) >= 0 != i.negative
	case takeBlock:
		end := m.run(i.other, pos, true)
		return end, end >= 0
	}
	return pos, m.holds(i.asserts, pos)
}

// holds reports whether an assertion is true at a place.
func (m *machine) holds(k kind, pos int) bool {
	n := len(m.text)
	switch k {
	case lineStart:
		return pos == 0 || m.text[pos-1] == '\n' && pos < n
	case lineEnd:
		return pos == n || m.text[pos] == '\n'
	case textStart:
		return pos == 0
	case textEnd:
		return pos == n
	case lastLineEnd:
		return pos == n || pos == n-1 && m.text[pos] == '\n'
	}
	left, before := m.before(pos)
	right, after := m.after(pos)
	edge := (before != pos && m.word.has(left)) != (after != pos && m.word.has(right))
	return edge == (k == wordEdge)
}

// back returns to the last untried alternative above base.
func (m *machine) back(base int) (at int32, pos int, ok bool) {
	for len(m.stack) > base {
		f := &m.stack[len(m.stack)-1]
		i := &m.code[f.at]
		if f.kind == shorter {
			if _, before := m.before(f.pos); f.pos > f.low && before >= f.low && (before > f.low || i.min == 0) {
				f.pos = before
				return i.next, before, true
			}
			m.keepFailed(i.memo, f.low, f.high)
		}
		last := *f
		m.stack = m.stack[:len(m.stack)-1]
		if last.kind == another {
			return last.at, last.pos, true
		}
	}
	return 0, 0, false
}

// succeed records a match of a look or a block for everything that led to it.
func (m *machine) succeed(base, end int) int {
	for k := len(m.stack) - 1; k >= base; k-- {
		f := &m.stack[k]
		i := &m.code[f.at]
		switch f.kind {
		case trodden:
			m.keepMatched(i.memo, f.pos, f.pos, end)
		case shorter:
			last := f.pos - int(i.min)
			m.keepFailed(i.memo, last+1, f.high)
			m.keepMatched(i.memo, f.low, last, end)
		}
	}
	m.stack = m.stack[:base]
	return end
}
