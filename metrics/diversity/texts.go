package diversity

import (
	"slices"
	"strings"
)

// Texts are texts as numbers of their tokens, four bytes each. N-grams over them are
// counted exactly, as pairs of a shorter one's number and a token's.
type Texts struct {
	known  map[string]int32
	tokens []int32
	ends   []int // of each text in tokens
}

// Add tokenises a text, which it does not keep.
func (t *Texts) Add(text string) { t.AddTokens(Tokenize(text)) }

// AddTokens adds a text by its tokens.
func (t *Texts) AddTokens(tokens []string) {
	if t.known == nil {
		t.known = make(map[string]int32)
	}
	for _, token := range tokens {
		id, ok := t.known[token]
		if !ok {
			id = int32(len(t.known))
			t.known[strings.Clone(token)] = id // the text that it is part of can go
		}
		t.tokens = append(t.tokens, id)
	}
	t.ends = append(t.ends, len(t.tokens))
}

// N is the number of texts.
func (t *Texts) N() int { return len(t.ends) }

// from is where a text begins.
func (t *Texts) from(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// tokensOf is how many tokens a text has.
func (t *Texts) tokensOf(i int) int { return t.ends[i] - t.from(i) }

// orders walks over the n-grams of all texts, one order after the other. Its memory is
// four bytes a token, and the distinct n-grams of one order: what holds an n-gram that
// occurs once occurs once itself, and has no number.
type orders struct {
	*Texts
	order  int
	ids    []int32          // of the n-gram that ends at each token; single where it is known to occur once
	known  map[uint64]int32 // by the n-gram one shorter and the token
	counts []int32          // of each numbered n-gram
	once   int              // n-grams without a number
	lost   []int32          // scratch as long as counts, all zeros between uses
}

// single is the number of all n-grams that are known to occur once.
const single = -1

// first starts at words.
func (t *Texts) first() *orders {
	o := &orders{Texts: t, order: 1, ids: slices.Clone(t.tokens), known: make(map[uint64]int32)}
	o.count(len(t.known))
	return o
}

// next goes on to n-grams of one token more.
func (o *orders) next() {
	for i := range o.ends {
		for at, id := range o.of(i) {
			if id != single && o.counts[id] == 1 {
				o.of(i)[at] = single
			}
		}
	}
	o.order++
	clear(o.known)
	for i := range o.ends {
		for at := o.ends[i] - 1; at >= o.from(i)+o.order-1; at-- { // from the end: the one before is still shorter
			o.ids[at] = o.joined(o.ids[at-1], o.ids[at], o.tokens[at])
		}
	}
	o.count(len(o.known))
}

// joined numbers the n-gram that begins and ends with these shorter ones.
func (o *orders) joined(start, end, token int32) int32 {
	if start == single || end == single {
		return single
	}
	pair := uint64(start)<<32 | uint64(token)
	id, ok := o.known[pair]
	if !ok {
		id = int32(len(o.known))
		o.known[pair] = id
	}
	return id
}

// of lists a text's n-grams.
func (o *orders) of(i int) []int32 {
	return o.ids[min(o.from(i)+o.order-1, o.ends[i]):o.ends[i]]
}

// count counts how often each of the numbered n-grams occurs.
func (o *orders) count(numbers int) {
	o.counts = zeros(o.counts, numbers)
	o.lost = zeros(o.lost, numbers)
	o.once = 0
	for i := range o.ends {
		for _, id := range o.of(i) {
			if id == single {
				o.once++
			} else {
				o.counts[id]++
			}
		}
	}
}

// zeros returns n zeros, in place where there is room.
func zeros(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	clear(old[:n])
	return old[:n]
}
