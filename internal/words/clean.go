// Package words formats numbers, lists and names as text, the same way everywhere, and
// cleans untrusted text for terminals. It does not know what the numbers mean.
package words

import (
	"strings"
	"unicode"
)

// Clean makes text from outside safe to print anywhere: line breaks and tabs
// become spaces; control bytes, invisible and direction-changing characters and
// invalid UTF-8 become U+FFFD, so that tampering shows rather than vanishes.
// Escaping for a format is that format's business.
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

// Invisible reports whether a character does something other than show itself.
func Invisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// CleanAll cleans each text.
func CleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Clean(t)
	}
	return out
}

// Guarded is a clean text for a spreadsheet: an apostrophe stands before what it
// would run as a formula, blanks before it or not.
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
