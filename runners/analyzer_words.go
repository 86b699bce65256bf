package runners

import (
	"strings"
	"unicode"
)

// wordPattern is bm25s's default analysis: lower case, runs of two or more word
// characters (the pattern \b\w\w+\b), the stop words of Lucene, no stemming.
type wordPattern struct{ stop map[string]bool }

func newWordPattern() analyzer { return wordPattern{stopWords(luceneStopWords)} }

func (a wordPattern) tokens(text string, emit func(string)) {
	start, runes := -1, 0
	text = strings.ToLower(text)
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' {
			if start < 0 {
				start, runes = i, 0
			}
			runes++
			continue
		}
		if start >= 0 && runes >= 2 {
			emit(text[start:i])
		}
		start = -1
	}
	if start >= 0 && runes >= 2 {
		emit(text[start:])
	}
}

func (a wordPattern) term(token string) string {
	if a.stop[token] {
		return ""
	}
	return token
}
