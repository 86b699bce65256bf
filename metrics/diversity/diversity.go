// Package diversity measures how varied a set of texts is: the average pairwise
// similarity of their embeddings (APS), inter-sample n-gram frequency (INGF),
// and distinct-n and self-BLEU to check them against.
//
// The measures run in different directions and most depend on how many texts
// there are; compare sets of equal size only, and by the same measure.
package diversity

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Tokenizer says in one line what Tokenize does, for output that shows what
// depends on it.
const Tokenizer = "lower-cased runs of letters, marks, digits and underscores"

// Tokenize splits a text as Tokenizer says: punctuation and spaces separate and
// are dropped. A script without spaces is one token up to its punctuation.
func Tokenize(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Sample returns k of the indices 0 to n−1, each set equally likely, in
// ascending order; all of them where k ≥ n.
func Sample(n, k int, seed uint64) []int {
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	if k >= n {
		return index
	}
	r := rand.NewPCG(seed, 0x9e3779b97f4a7c15)
	for i := range k {
		j, _ := bits.Mul64(r.Uint64(), uint64(n-i))
		index[i], index[i+int(j)] = index[i+int(j)], index[i]
	}
	slices.Sort(index[:k])
	return index[:k]
}
