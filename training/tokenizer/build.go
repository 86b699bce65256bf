package tokenizer

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"
)

// BuildWordPiece makes a lower-casing WordPiece tokenizer of at most size tokens from texts. The
// vocabulary has BERT's special tokens, then every character of the texts, by itself and as a
// continuation (so that any word of the texts can be spelled), then words, the most frequent first,
// ties by bytes. Characters are also sorted by frequency and fill at most half of size, so that a
// corpus with many scripts leaves room for words. The result depends only on the texts, not on
// their order.
func BuildWordPiece(texts iter.Seq[string], size int) (*Tokenizer, error) {
	if size < 2*len(bertSpecials) {
		return nil, fmt.Errorf("build vocabulary: size %d is below %d", size, 2*len(bertSpecials))
	}
	normalizer := bertNormalizer{clean: true, chinese: true, strip: true, lower: true}
	words, runes := map[string]int{}, map[string]int{}
	var pieces []string
	for text := range texts {
		pieces = bertWords{}.split(pieces[:0], normalizer.normalize(text), true)
		for _, word := range pieces {
			words[word]++
		}
	}
	for word, n := range words {
		for _, r := range word {
			if r != utf8.RuneError {
				runes[string(r)] += n
			}
		}
	}
	vocab := slices.Clone(bertSpecials)
	for _, r := range byFrequency(runes) {
		if len(vocab)+2 > max(size/2, 2*len(bertSpecials)) {
			break
		}
		vocab = append(vocab, r, "##"+r)
	}
	known := make(map[string]bool, size)
	for _, token := range vocab {
		known[token] = true
	}
	for _, word := range byFrequency(words) {
		if len(vocab) >= size {
			break
		}
		if !known[word] && utf8.ValidString(word) {
			vocab = append(vocab, word)
		}
	}
	return NewWordPiece(vocab, true)
}

// byFrequency returns the keys from the most to the least frequent, ties by bytes.
func byFrequency(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
