package tokenizer

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// HuggingFace's library uses three editions of Unicode: 8.0 in unicode_categories, for BERT's
// components; 9.0 in unicode-normalization-alignments, for the normalisation forms and
// StripAccents; and 17.0 in Rust's lower case. Characters of newer editions are unassigned in older
// ones. Characters whose category differs from Go's edition are listed here.
var (
	nonspacing = sync.OnceValue(func() *unicode.RangeTable {
		return edition("8.0.0", unicode.Mn, "\u1734", "\u1885\u1886\ua9bd\U000111c9")
	})
	formatting  = sync.OnceValue(func() *unicode.RangeTable { return edition("8.0.0", unicode.Cf, "", "") })
	punctuation = sync.OnceValue(func() *unicode.RangeTable { return edition("8.0.0", unicode.P, "\u166d\U000111c9", "") })
	combining   = sync.OnceValue(func() *unicode.RangeTable { return edition("9.0.0", unicode.M, "\u1cf2\u1cf3", "\U000111c9") })
	normalised  = sync.OnceValue(func() *unicode.RangeTable { return rangetable.Assigned("9.0.0") })
)

// edition returns a category in an older edition of Unicode: the characters of today's category
// that were assigned then, with those of more and without those of less.
func edition(version string, now *unicode.RangeTable, more, less string) *unicode.RangeTable {
	assigned, runes := rangetable.Assigned(version), []rune(more)
	rangetable.Visit(now, func(r rune) {
		if unicode.Is(assigned, r) && !strings.ContainsRune(less, r) {
			runes = append(runes, r)
		}
	})
	return rangetable.New(runes...)
}

// firstUnassigned is the first character that no edition assigns.
const firstUnassigned = 0x378

// inForm converts texts to a normalisation form of Unicode 9: characters that Unicode 9 lacks stay
// unchanged, and no character moves past them.
func inForm(form norm.Form) func(string) string {
	return func(s string) string {
		known, done := normalised(), 0
		var b strings.Builder
		for at, r := range s {
			if r < firstUnassigned || unicode.Is(known, r) {
				continue
			}
			b.WriteString(form.String(s[done:at]))
			b.WriteRune(r)
			done = at + len(string(r))
		}
		if done == 0 {
			return form.String(s)
		}
		b.WriteString(form.String(s[done:]))
		return b.String()
	}
}

// newCases are the capitals added in Unicode 16 and 17.
var newCases = unicode.SpecialCase{
	lower(0x1c89, 0x1c89, 1),
	lower(0xa7cb, 0xa7cb, 0x264-0xa7cb),
	lower(0xa7cc, 0xa7cc, 1),
	lower(0xa7ce, 0xa7ce, 1),
	lower(0xa7d2, 0xa7d2, 1),
	lower(0xa7d4, 0xa7d4, 1),
	lower(0xa7da, 0xa7da, 1),
	lower(0xa7dc, 0xa7dc, 0x19b-0xa7dc),
	lower(0x10d50, 0x10d65, 0x20),
	lower(0x16ea0, 0x16eb8, 0x1b),
}

// lower is the lower case of the characters from lo to hi, each shifted by delta.
func lower(lo, hi uint32, delta rune) unicode.CaseRange {
	return unicode.CaseRange{Lo: lo, Hi: hi, Delta: [unicode.MaxCase]rune{unicode.LowerCase: delta}}
}
