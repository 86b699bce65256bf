package tokenizer

import (
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// anyScript is the script of blanks, and of characters unknown to HuggingFace's library: they
// belong to the text before them.
const anyScript = "Any"

// scriptsThen has the characters assigned in Unicode 9, whose scripts the library uses.
var scriptsThen = sync.OnceValue(func() *unicode.RangeTable { return rangetable.Assigned("9.0.0") })

// script returns the name of a character's script in HuggingFace's UnicodeScripts: kana are Han, as
// in SentencePiece.
func script(r rune) string {
	switch {
	case r == ' ':
		return anyScript
	case r == '\u30fc':
		return "Han"
	case r == '\u0589', r == '\u061c': // two that changed since
		return "Common"
	case r == '\u0953', r == '\u0954':
		return "Devanagari"
	case r < unicode.MaxASCII && unicode.IsLetter(r):
		return "Latin"
	case r <= unicode.MaxASCII:
		return "Common"
	case r >= firstUnassigned && !unicode.Is(scriptsThen(), r):
		return anyScript
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Hiragana" || name == "Katakana" {
				return "Han"
			}
			return name
		}
	}
	return anyScript
}

// scripts splits where the script changes, and drops the text before the first character with a
// script.
func scripts(out []string, piece string) []string {
	start, last := -1, anyScript
	for at, r := range piece {
		s := script(r)
		if s == anyScript || s == last {
			continue
		}
		if start >= 0 {
			out = append(out, piece[start:at])
		}
		start, last = at, s
	}
	if start < 0 {
		return out
	}
	return append(out, piece[start:])
}
