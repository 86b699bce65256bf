package diversity

import (
	"slices"
	"strings"
)

// Texts stores texts as token numbers, four bytes each. N-grams over them are counted
// exactly: an n-gram is the pair of the number of its prefix, one token shorter, and the
// number of its last token.
type Texts struct {
	known  map[string]int32
	tokens []int32
	ends   []int // end of each text, in tokens
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
			t.known[strings.Clone(token)] = id // so that the text that contains the token can be freed
		}
		t.tokens = append(t.tokens, id)
	}
	t.ends = append(t.ends, len(t.tokens))
}

// N returns the number of texts.
func (t *Texts) N() int { return len(t.ends) }

// from returns the index of a text's first token.
func (t *Texts) from(i int) int {
	if i == 0 {
		return 0
	}
	return t.ends[i-1]
}

// tokensOf returns the number of tokens of a text.
func (t *Texts) tokensOf(i int) int { return t.ends[i] - t.from(i) }

// orders visits the n-grams of all texts, one order after the other. It needs four bytes per
// token, and memory for the distinct n-grams of one order. An n-gram that contains an n-gram
// with one occurrence also occurs once, and gets no number.
type orders struct {
	*Texts
	order  int
	ids    []int32          // number of the n-gram that ends at each token; single if it is known to occur once
	known  map[uint64]int32 // by the n-gram one token shorter and the last token
	counts []int32          // counts by number of n-gram
	once   int              // n-grams without a number
	lost   []int32          // scratch as long as counts, all zeros between uses
}

// single is the number of all n-grams that are known to occur once.
const single = -1

// first starts with single words.
func (t *Texts) first() *orders {
	o := &orders{Texts: t, order: 1, ids: slices.Clone(t.tokens), known: make(map[uint64]int32)}
	o.count(len(t.known))
	return o
}

// next advances to n-grams with one more token.
func (o *orders) next() {
	for i := range o.ends {
		for at, id := range o.grams(i) {
			if id != single && o.counts[id] == 1 {
				o.grams(i)[at] = single
			}
		}
	}
	o.order++
	clear(o.known)
	for i := range o.ends {
		for at := o.ends[i] - 1; at >= o.from(i)+o.order-1; at-- { // backwards: the entry before is still that of the shorter n-gram
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

// grams lists the numbers of a text's n-grams of the current order.
func (o *orders) grams(i int) []int32 {
	return o.ids[min(o.from(i)+o.order-1, o.ends[i]):o.ends[i]]
}

// count counts the occurrences of each numbered n-gram.
func (o *orders) count(numbers int) {
	o.counts = zeros(o.counts, numbers)
	o.lost = zeros(o.lost, numbers)
	o.once = 0
	for i := range o.ends {
		for _, id := range o.grams(i) {
			if id == single {
				o.once++
			} else {
				o.counts[id]++
			}
		}
	}
}

// zeros returns n zeros, reusing old if it is large enough.
func zeros(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	clear(old[:n])
	return old[:n]
}
