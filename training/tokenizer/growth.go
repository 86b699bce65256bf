package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// maxGrowth bounds how many times as long a text can become before it is segmented.
// What is published stays below 80, for one ligature of 18 Arabic letters.
const maxGrowth = 500

// spreader is a normalizer that can make more of a text than it makes of its characters
// one by one. What worst returns tells the most bytes that a character becomes, where
// after is the same for a text and the steps that follow.
type spreader interface {
	worst(after func(text string) float64) func(r rune) float64
}

// worstOf is worst for any normalizer.
func worstOf(n normalizer, after func(string) float64) func(string) float64 {
	known := map[rune]float64{}
	become := func(r rune) float64 { return after(n.normalize(string(r))) }
	if s, ok := n.(spreader); ok {
		become = s.worst(after)
	}
	return func(text string) (sum float64) {
		for _, r := range text {
			most, ok := known[r]
			if !ok {
				most = become(r)
				known[r] = most
			}
			sum += most
		}
		return sum
	}
}

// checkGrowth refuses a normalizer and a pre-tokenizer that can make a text too long:
// ten replacements of e by ten e's make ten billion of one. Looked at are the characters
// that their sections name, and what the longest characters of the forms become.
func checkGrowth(n normalizer, words preTokenizer, section json.RawMessage) error {
	most, by := 1.0, ""
	if n != nil {
		var names any
		if err := json.Unmarshal(section, &names); err != nil {
			return err
		}
		candidates := map[rune]bool{}
		for _, r := range fmt.Sprint(names) + "aé漢ΐﬃﷺ😀" {
			candidates[r] = true
		}
		addKeys(candidates, n)
		worst := worstOf(n, func(s string) float64 { return float64(len(s)) })
		for _, r := range slices.Sorted(maps.Keys(candidates)) {
			if growth := worst(string(r)) / float64(len(string(r))); growth > most {
				most, by = growth, fmt.Sprintf(", such as one of %q,", r)
			}
		}
	}
	if g, ok := words.(interface{ growth() float64 }); ok {
		most *= g.growth()
	}
	if most > maxGrowth {
		return fmt.Errorf("a text%s can grow to %.3g times its length, more than %d: normalizer and pre_tokenizer must not replace so little by so much", by, most, maxGrowth)
	}
	return nil
}

// addKeys adds the characters that maps replace.
func addKeys(candidates map[rune]bool, n normalizer) {
	switch n := n.(type) {
	case normalizers:
		for _, part := range n {
			addKeys(candidates, part)
		}
	case precompiled:
		for r := range rune(0x10000) {
			if _, ok := n.find(string(r)); ok {
				candidates[r] = true
			}
		}
	}
}

// maxNormalizers bounds a Sequence.
const maxNormalizers = 200

// normalizers is a Sequence: one normalizer after the other.
type normalizers []normalizer

func (list normalizers) normalize(s string) string {
	for _, n := range list {
		s = n.normalize(s)
	}
	return s
}

func (list normalizers) worst(after func(string) float64) func(rune) float64 {
	for _, n := range slices.Backward(list) {
		after = worstOf(n, after)
	}
	return func(r rune) float64 { return after(string(r)) }
}
