package oniguruma

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
)

// span is the characters from lo to hi.
type span struct{ lo, hi rune }

// set is a set of characters: sorted spans that neither overlap nor touch.
type set []span

// setOf returns the set of some spans in any order.
func setOf(spans ...span) set {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	var s set
	for _, next := range spans {
		if n := len(s); n > 0 && next.lo <= s[n-1].hi+1 {
			s[n-1].hi = max(s[n-1].hi, next.hi)
		} else {
			s = append(s, next)
		}
	}
	return s
}

// of returns the set of one character.
func of(r rune) set { return set{{r, r}} }

func (s set) or(t set) set { return setOf(slices.Concat(s, t)...) }

func (s set) not() set {
	var out set
	next := rune(0)
	for _, p := range s {
		if p.lo > next {
			out = append(out, span{next, p.lo - 1})
		}
		next = p.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func (s set) and(t set) set { return s.not().or(t.not()).not() }

func (s set) has(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(p span, r rune) int {
		switch {
		case p.hi < r:
			return -1
		case p.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// otherCases maps characters to their other cases.
var otherCases = sync.OnceValue(func() map[rune][]rune {
	cases := map[rune][]rune{}
	for r := range rune(0x1e944) { // no character above it has other cases
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			cases[r] = append(cases[r], other)
		}
	}
	pair := func(upper, lower rune) {
		cases[upper], cases[lower] = append(cases[upper], lower), append(cases[lower], upper)
	}
	for _, p := range [][2]rune{{0x1c89, 0x1c8a}, {0xa7cb, 0x264}, {0xa7cc, 0xa7cd}, {0xa7da, 0xa7db}, {0xa7dc, 0x19b}} { // Unicode 16
		pair(p[0], p[1])
	}
	for r := rune(0x10d50); r <= 0x10d65; r++ {
		pair(r, r+0x20)
	}
	return cases
})

// anyCase adds the other cases of the characters.
func (s set) anyCase() set {
	more := slices.Clone(s)
	for r, others := range otherCases() {
		if s.has(r) {
			for _, other := range others {
				more = append(more, span{other, other})
			}
		}
	}
	return setOf(more...)
}

// table is a set with fast lookup.
type table struct {
	ascii [2]uint64
	rest  set
}

func newTable(s set) *table {
	t := &table{rest: s.and(set{{128, unicode.MaxRune}})}
	for r := range rune(128) {
		if s.has(r) {
			t.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return t
}

func (t *table) has(r rune) bool {
	if r < 128 {
		return t.ascii[r>>6]>>(r&63)&1 != 0
	}
	return t.rest.has(r)
}
