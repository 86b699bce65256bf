// Package diversity measures how varied a set of texts is: the average pairwise similarity of
// their embeddings (APS), inter-sample n-gram frequency (INGF), and, as checks, distinct-n
// and self-BLEU.
//
// The measures have different directions and most depend on the number of texts: compare only
// sets of equal size, and by the same measure.
package diversity

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Tokenizer describes Tokenize in one line, for output that depends on it.
const Tokenizer = "lower-cased runs of letters, marks, digits and underscores"

// Tokenize splits a text into the tokens that Tokenizer describes: punctuation and spaces
// separate tokens and are dropped. In a script without spaces a token ends only at
// punctuation.
func Tokenize(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Sample returns k of the indices 0 to n−1 in ascending order, each subset with equal
// probability; all indices if k ≥ n.
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
