package tokenizer

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// bertNormalizer is HuggingFace's BertNormalizer. It removes control characters, turns white space
// into blanks, puts blanks around Chinese characters, removes accents and lower-cases, in this
// order.
type bertNormalizer struct {
	clean, chinese, strip, lower bool
}

func readBertNormalizer(data json.RawMessage) (normalizer, error) {
	section := struct {
		Type    string `json:"type"`
		Clean   *bool  `json:"clean_text"`
		Chinese *bool  `json:"handle_chinese_chars"`
		Strip   *bool  `json:"strip_accents"`
		Lower   *bool  `json:"lowercase"`
	}{}
	if err := strict(data, &section); err != nil {
		return nil, err
	}
	n := bertNormalizer{clean: orTrue(section.Clean), chinese: orTrue(section.Chinese), lower: orTrue(section.Lower)}
	n.strip = n.lower // null means the value of lowercase
	if section.Strip != nil {
		n.strip = *section.Strip
	}
	return n, nil
}

// orTrue returns *b, or true if the file leaves the setting out.
func orTrue(b *bool) bool { return b == nil || *b }

func (n bertNormalizer) normalize(s string) string {
	if out, ok := n.ascii(s); ok {
		return out
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for _, r := range s {
		if n.clean {
			if r == 0 || r == utf8.RuneError || isControl(r) {
				continue
			}
			if unicode.IsSpace(r) {
				r = ' '
			}
		}
		if n.chinese && isChinese(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	out := b.String()
	if n.strip {
		out = stripAccents(out)
	}
	if n.lower {
		out = lowerCase(out)
	}
	return out
}

// ascii is normalize for a text without bytes above 127; otherwise ok is false.
func (n bertNormalizer) ascii(s string) (out string, ok bool) {
	changed := false
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return "", false
		}
		changed = changed || c < ' ' || c == 0x7f || n.lower && 'A' <= c && c <= 'Z'
	}
	if !changed {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		switch {
		case n.clean && (c == '\t' || c == '\n' || c == '\r'):
			c = ' '
		case n.clean && (c < ' ' || c == 0x7f):
			continue
		case n.lower && 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b), true
}

// isControl reports whether r is in the category Other of Unicode 8, except tab, newline, return
// and unassigned characters.
func isControl(r rune) bool {
	return r != '\t' && r != '\n' && r != '\r' && (unicode.In(r, unicode.Cc, unicode.Co) || unicode.Is(formatting(), r))
}

// isChinese reports whether r is in the CJK blocks that BERT splits. The fifth block starts at
// 2B920, as in HuggingFace tokenizers, not at Unicode's 2B820.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff:
		return true
	}
	return 0x20000 <= r && r <= 0x2a6df || 0x2a700 <= r && r <= 0x2b81f ||
		0x2b920 <= r && r <= 0x2ceaf || 0x2f800 <= r && r <= 0x2fa1f
}

// stripAccents decomposes s (NFD) and drops the non-spacing marks.
func stripAccents(s string) string { return without(nonspacing(), inForm(norm.NFD)(s)) }

// without drops the characters of a table.
func without(table *unicode.RangeTable, s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(table, r) {
			return -1
		}
		return r
	}, s)
}

// lowerCase lower-cases letter by letter in Unicode, like Rust's char::to_lowercase; the only
// letter that becomes two is handled separately.
func lowerCase(s string) string {
	if strings.ContainsRune(s, 'İ') {
		s = strings.ReplaceAll(s, "İ", "i\u0307")
	}
	return strings.ToLowerSpecial(newCases, s)
}

// bertWords splits at white space, which it drops, and around each punctuation character, which it
// keeps (HuggingFace's BertPreTokenizer).
type bertWords struct{}

func readBertWords(data json.RawMessage) (preTokenizer, error) {
	section := struct {
		Type string `json:"type"`
	}{}
	return bertWords{}, strict(data, &section)
}

func (bertWords) split(out []string, piece string, _ bool) []string {
	start := 0
	for at, r := range piece {
		space := isSpaceFast(r)
		if !space && !isBertPunctuation(r) {
			continue
		}
		if start < at {
			out = append(out, piece[start:at])
		}
		start = at + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(piece[at:])
			start = at + n
		}
		if !space {
			out = append(out, piece[at:start])
		}
	}
	if start < len(piece) {
		out = append(out, piece[start:])
	}
	return out
}

// isSpaceFast is unicode.IsSpace with the common letters first.
func isSpaceFast(r rune) bool {
	if r > ' ' && r < 0x85 {
		return false
	}
	return unicode.IsSpace(r)
}

// isBertPunctuation reports whether r is punctuation of Unicode 8 or an ASCII symbol.
func isBertPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(punctuation(), r)
}
