package tokenizer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// maxGrowth limits the factor by which a text can grow before it is segmented. Published tokenizers
// stay below 80, for one ligature of 18 Arabic letters.
const maxGrowth = 500

// spreader is a normalizer whose result for a text can be longer than the results for its
// characters. worst returns a function that gives the most bytes that a character can become, where
// after does the same for a text and the following steps.
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

// checkGrowth rejects a normalizer and a pre-tokenizer that can make a text too long: ten
// replacements of e by ten e's make ten billion of one. It checks the characters that their
// sections name, and the characters with the longest normalisation forms.
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

// addKeys adds the characters that character maps replace.
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

// maxNormalizers limits a Sequence.
const maxNormalizers = 200

// normalizers is a Sequence: its normalizers run one after the other.
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
