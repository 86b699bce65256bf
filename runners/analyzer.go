package runners

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// analyzer turns text into index terms in two steps, so that the result of the second step can
// be cached per token. An analyzer must be used by one goroutine at a time.
type analyzer interface {
	// tokens calls emit for each token of text, in order.
	tokens(text string, emit func(token string))
	// term is the index term of a token, "" for a token that is dropped.
	term(token string) string
}

// luceneEnglish is Anserini's default analysis chain, Lucene 8's EnglishAnalyzer:
// StandardTokenizer, possessive filter, lower case, stop words, Porter stemmer.
type luceneEnglish struct{ stop map[string]bool }

func newLuceneEnglish() analyzer {
	return luceneEnglish{stopWords(luceneStopWords)}
}

// luceneStopWords is Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET.
const luceneStopWords = `a an and are as at be but by for if in into is it no not of on or such that the
	their then there these they this to was will with`

func stopWords(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// maxToken is the length, in UTF-16 units, at which StandardTokenizer cuts tokens: the size of
// its scanner's buffer.
const maxToken = 255

// tokens segments text like StandardTokenizer: by UAX #29, but with runs of South East Asian
// scripts kept together. It emits only segments with a letter, a digit or an emoji.
func (a luceneEnglish) tokens(text string, emit func(string)) {
	segments := words.FromString(text)
	run := -1 // start of the current run of South East Asian segments
	endRun := func(end int) {
		if run >= 0 {
			emitRun(text[run:end], emit)
			run = -1
		}
	}
	for segments.Next() {
		token := segments.Value()
		if len(token) == 1 && !isASCIIAlphanumeric(token[0]) {
			endRun(segments.Start()) // spaces and punctuation: most of the dropped segments
			continue
		}
		first, _ := utf8.DecodeRuneInString(token)
		if first >= 0xe00 && isSouthEastAsian(first) {
			if run < 0 {
				run = segments.Start()
			}
			continue
		}
		endRun(segments.Start())
		if used := emitLong(token, emit); used > 0 {
			text = text[segments.Start()+used:]
			segments = words.FromString(text)
			continue
		}
		if isWord(token) {
			emit(token)
		}
	}
	endRun(len(text))
}

// emitLong emits the head of a token that is longer than the scanner's buffer: the scanner
// finds a token in its buffer and continues after it. It returns the length of the head, 0 for
// a token that fits.
func emitLong(token string, emit func(string)) (used int) {
	for {
		seen := utf16Prefix(token[used:], maxToken)
		if len(seen) == len(token)-used {
			return used
		}
		piece := words.FromString(seen).First()
		if isWord(piece) {
			emit(piece)
		}
		used += len(piece)
	}
}

// emitRun emits a run of South East Asian characters in pieces of at most
// maxToken units.
func emitRun(run string, emit func(string)) {
	for run != "" {
		piece := utf16Prefix(run, maxToken)
		if isWord(piece) {
			emit(piece)
		}
		run = run[len(piece):]
	}
}

// utf16Prefix returns the longest prefix of s of at most n UTF-16 units.
func utf16Prefix(s string, n int) string {
	if len(s) <= n { // there are never more units than bytes
		return s
	}
	for i, r := range s {
		if n--; r > 0xffff {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

// term strips a possessive 's, lowers case, drops stop words and stems.
func (a luceneEnglish) term(token string) string {
	for _, apostrophe := range []string{"'", "\u2019", "\uff07"} {
		for _, s := range []string{"s", "S"} {
			if stem, ok := strings.CutSuffix(token, apostrophe+s); ok {
				return a.lowered(stem)
			}
		}
	}
	return a.lowered(token)
}

// lowered maps each rune by itself, as Java's Character.toLowerCase does;
// strings.ToLower agrees with it.
func (a luceneEnglish) lowered(token string) string {
	word := strings.ToLower(token)
	if a.stop[word] {
		return ""
	}
	return porter{}.stem(word)
}

func isASCIIAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}

// isWord reports whether StandardTokenizer keeps a segment.
func isWord(token string) bool {
	flags := 0 // regional indicators: two of them are a flag, a single one is dropped
	for _, r := range token {
		switch {
		case r < utf8.RuneSelf:
			if isASCIIAlphanumeric(byte(r)) {
				return true
			}
		case unicode.In(r, unicode.L, unicode.Nd, unicode.Nl, emoji):
			return true
		case unicode.Is(unicode.So, r) && unicode.Is(unicode.Other_Alphabetic, r): // circled letters
			return true
		case unicode.Is(unicode.Regional_Indicator, r):
			if flags++; flags == 2 {
				return true
			}
		}
	}
	return false
}

// isSouthEastAsian approximates Line_Break=Complex_Context, the scripts written
// without spaces that need a dictionary to segment.
func isSouthEastAsian(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer, unicode.Tai_Le,
		unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Ahom) && unicode.In(r, unicode.L, unicode.M)
}
