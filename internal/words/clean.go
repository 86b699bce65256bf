// Package words formats numbers, lists and names as text, the same way everywhere, and cleans
// untrusted text for terminals. It knows nothing about the meaning of the numbers.
package words

import (
	"strings"
	"unicode"
)

// Clean makes untrusted text safe to print anywhere: line breaks and tabs become spaces; control
// bytes, invisible and direction-changing characters and invalid UTF-8 become U+FFFD, so that
// tampering stays visible. Callers escape the text for their format.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case Invisible(r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// Invisible reports whether a character is a control or format character, which shows no glyph.
func Invisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// CleanAll cleans each text.
func CleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Clean(t)
	}
	return out
}

// Guarded cleans a text for a spreadsheet. A text that the spreadsheet would run as a formula, also
// after leading blanks, gets an apostrophe in front.
func Guarded(s string) string {
	s = Clean(s)
	start := strings.TrimSpace(s)
	if start == "" || !strings.ContainsRune("=+-@|%", rune(start[0])) {
		return s
	}
	return "'" + s
}

// GuardedAll guards each text.
func GuardedAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Guarded(t)
	}
	return out
}
