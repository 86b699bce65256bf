package diversity

import "strings"

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
// four bytes a token, and the distinct n-grams of one order.
type orders struct {
	*Texts
	order    int
	distinct int
	ids      []int32          // of the n-gram that ends at each token
	known    map[uint64]int32 // by the n-gram one shorter and the token
}

// first starts at words.
func (t *Texts) first() *orders {
	return &orders{Texts: t, order: 1, distinct: len(t.known), ids: append([]int32(nil), t.tokens...), known: make(map[uint64]int32)}
}

// next goes on to n-grams of one token more.
func (o *orders) next() {
	o.order++
	clear(o.known)
	for i := range o.ends {
		for at := o.ends[i] - 1; at >= o.from(i)+o.order-1; at-- { // from the end: the one before is still shorter
			pair := uint64(o.ids[at-1])<<32 | uint64(o.tokens[at])
			id, ok := o.known[pair]
			if !ok {
				id = int32(len(o.known))
				o.known[pair] = id
			}
			o.ids[at] = id
		}
	}
	o.distinct = len(o.known)
}

// of lists a text's n-grams.
func (o *orders) of(i int) []int32 {
	return o.ids[min(o.from(i)+o.order-1, o.ends[i]):o.ends[i]]
}

// counts are how often each n-gram occurs.
func (o *orders) counts() []int32 {
	counts := make([]int32, o.distinct)
	for i := range o.ends {
		for _, id := range o.of(i) {
			counts[id]++
		}
	}
	return counts
}
