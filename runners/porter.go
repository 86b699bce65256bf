package runners

import "strings"

// porter is Porter's algorithm for suffix stripping (Program 14.3, 1980) with its author's two
// later departures (bli -> ble, logi -> log): Lucene's PorterStemFilter, or with nltk set
// NLTK's PorterStemmer in its default mode.
//
// go-porterstemmer differs from Lucene if the complete word is a suffix: "ies" (Lucene: "i"),
// "sses" ("ss") and "eed" ("eed"), which occur in real text.
type porter struct{ nltk bool }

// stem stems a word in lower case; any character that is not a vowel counts as a consonant.
func (p porter) stem(word string) string {
	if irregular, ok := nltkIrregular[word]; ok && p.nltk {
		return irregular
	}
	w := []rune(word)
	if len(w) <= 2 {
		return word
	}
	for _, step := range []func(w []rune) []rune{p.step1a, p.step1b, p.step1c, p.step2, step3, step4, p.step5a, step5b} {
		w = step(w)
	}
	return string(w)
}

// nltkIrregular holds the words that bypass NLTK's rules.
var nltkIrregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning", "howe": "howe",
	"proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// isConsonant reports whether w[i] is a consonant; y is one at the start and after a vowel.
func isConsonant(w []rune, i int) bool {
	ys := 0 // the run of y before i alternates
	for ; i > 0 && w[i] == 'y'; i-- {
		ys++
	}
	return follows(w[i], false) != (ys%2 == 1)
}

// follows reports whether r is a consonant, given whether the previous letter is one.
func follows(r rune, consonant bool) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return !consonant
	}
	return true
}

// vowelRuns is Porter's m: how often a consonant follows a vowel in w.
func vowelRuns(w []rune) int {
	m, before := 0, false
	for i, r := range w {
		consonant := follows(r, before)
		if consonant && !before && i > 0 {
			m++
		}
		before = consonant
	}
	return m
}

func hasVowel(w []rune) bool {
	consonant := false
	for _, r := range w {
		if consonant = follows(r, consonant); !consonant {
			return true
		}
	}
	return false
}

func endsDouble(w []rune) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && isConsonant(w, n-1)
}

// endsCVC is Porter's *o, which NLTK extends to words of a vowel and a consonant.
func (p porter) endsCVC(w []rune) bool {
	n := len(w)
	if p.nltk && n == 2 {
		return !isConsonant(w, 0) && isConsonant(w, 1)
	}
	return n >= 3 && isConsonant(w, n-3) && !isConsonant(w, n-2) && isConsonant(w, n-1) &&
		w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}

// cut returns w without suffix.
func cut(w []rune, suffix string) (stem []rune, ok bool) {
	if len(w) < len(suffix) { // suffixes are ASCII
		return nil, false
	}
	if stem = w[:len(w)-len(suffix)]; string(w[len(stem):]) != suffix {
		return nil, false
	}
	return stem, true
}

// replace returns stem + suffix in new memory.
func replace(stem []rune, suffix string) []rune {
	return append(append(make([]rune, 0, len(stem)+len(suffix)), stem...), []rune(suffix)...)
}

// rules applies the first of the "suffix:replacement" pairs whose suffix w has, if holds is
// true for the stem before it. Otherwise it applies none.
func rules(w []rune, pairs string, holds func(stem []rune) bool) []rune {
	for pair := range strings.FieldsSeq(pairs) {
		suffix, replacement, _ := strings.Cut(pair, ":")
		if stem, ok := cut(w, suffix); ok {
			if holds(stem) {
				return replace(stem, replacement)
			}
			return w
		}
	}
	return w
}

func always([]rune) bool        { return true }
func positive(stem []rune) bool { return vowelRuns(stem) > 0 }
func aboveOne(stem []rune) bool { return vowelRuns(stem) > 1 }

func (p porter) step1a(w []rune) []rune {
	if stem, ok := cut(w, "ies"); p.nltk && ok && len(w) == 4 {
		return replace(stem, "ie")
	}
	return rules(w, "sses:ss ies:i ss:ss s:", always)
}

func (p porter) step1b(w []rune) []rune {
	if stem, ok := cut(w, "ied"); p.nltk && ok {
		if len(w) == 4 {
			return replace(stem, "ie")
		}
		return replace(stem, "i")
	}
	if _, ok := cut(w, "eed"); ok {
		return rules(w, "eed:ee", positive)
	}
	stem, ok := cut(w, "ed")
	if !ok || !hasVowel(stem) {
		if stem, ok = cut(w, "ing"); !ok || !hasVowel(stem) {
			return w
		}
	}
	for _, ending := range []string{"at", "bl", "iz"} {
		if _, ok := cut(stem, ending); ok {
			return replace(stem, "e")
		}
	}
	if endsDouble(stem) {
		if last := stem[len(stem)-1]; last != 'l' && last != 's' && last != 'z' {
			return stem[:len(stem)-1]
		}
		return stem
	}
	if vowelRuns(stem) == 1 && p.endsCVC(stem) {
		return replace(stem, "e")
	}
	return stem
}

func (p porter) step1c(w []rune) []rune {
	if !p.nltk {
		return rules(w, "y:i", hasVowel)
	}
	return rules(w, "y:i", func(stem []rune) bool { return len(stem) > 1 && isConsonant(stem, len(stem)-1) })
}

func (p porter) step2(w []rune) []rune {
	const suffixes = `ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous
		ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble`
	if !p.nltk {
		return rules(w, suffixes+" logi:log", positive)
	}
	if stem, ok := cut(w, "alli"); ok && positive(stem) {
		return p.step2(replace(stem, "al"))
	}
	if _, ok := cut(w, "logi"); ok { // the l is part of the stem
		return rules(w, "ogi:og", positive)
	}
	return rules(w, suffixes+" fulli:ful", positive)
}

func step3(w []rune) []rune {
	return rules(w, "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:", positive)
}

func step4(w []rune) []rune {
	if stem, ok := cut(w, "ion"); ok {
		if n := len(stem); n > 0 && (stem[n-1] == 's' || stem[n-1] == 't') && aboveOne(stem) {
			return stem
		}
		return w
	}
	return rules(w, "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize:", aboveOne)
}

func (p porter) step5a(w []rune) []rune {
	return rules(w, "e:", func(stem []rune) bool {
		m := vowelRuns(stem)
		return m > 1 || m == 1 && !p.endsCVC(stem)
	})
}

func step5b(w []rune) []rune {
	if _, ok := cut(w, "ll"); ok && aboveOne(w[:len(w)-1]) {
		return w[:len(w)-1]
	}
	return w
}
