package secret

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// leastPart is the minimum length in bytes of a key's beginning that Redact treats as a truncated
// echo.
const leastPart = 8

// Redact removes the secret from a text, such as the error of a server that repeats its input. It
// finds the key unchanged or in another case; escaped as in JSON, Go, HTML and addresses, once or
// several times; broken over lines; in base 64, with or without a user before it, or in
// hexadecimal; and the first half of a truncated key.
func (s Secret) Redact(text string) string {
	if s.value == nil {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := echo(text[i:], *s.value); n > 0 {
			b.WriteString(s.String())
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return s.redactEncoded(b.String())
}

// echo returns how many bytes at the start of text repeat the key or its first half.
func echo(text, key string) (n int) {
	if strings.HasPrefix(text, key) {
		return len(key) // also a key whose backslashes could be read as escapes
	}
	left := key
	for at := 0; left != ""; {
		matched, width := unit(text[at:], left)
		if width == 0 {
			gap := blank(text[at:])
			if at == 0 || gap == 0 {
				break
			}
			if matched, width = unit(text[at+gap:], left); width == 0 {
				break
			}
			width += gap
		}
		at, left = at+width, left[matched:]
		n = at
	}
	if done := len(key) - len(left); left == "" || done >= leastPart && 2*done >= len(key) {
		return n
	}
	return 0
}

// escape matches one character escaped as in JSON, Go, Python, an address or HTML, with backslashes
// and percent signs possibly escaped again.
var escape = regexp.MustCompile(`^(?:\\+u([0-9a-fA-F]{4})|\\+U([0-9a-fA-F]{8})|\\+x([0-9a-fA-F]{2})|%(?:25)*([0-9a-fA-F]{2})|\\+(["'/\\-])|(&(?:amp;)*(?:#?[0-9a-zA-Z]{1,8});))`)

// unit compares the first character of text, in any notation, with the start of key. It returns the
// number of matching bytes of the key and their width in the text.
func unit(text, key string) (matched, width int) {
	if matched, width = escaped(text, key); width > 0 {
		return matched, width
	}
	r, size := utf8.DecodeRuneInString(key)
	first, n := utf8.DecodeRuneInString(text)
	if n > 0 && (text[0] == key[0] && r == utf8.RuneError || r != utf8.RuneError && unicode.ToLower(first) == unicode.ToLower(r)) {
		return size, n
	}
	return 0, 0
}

// escaped is like unit for an escaped character.
func escaped(text, key string) (matched, width int) {
	if text == "" || text[0] != '\\' && text[0] != '%' && text[0] != '&' {
		return 0, 0
	}
	found := escape.FindStringSubmatch(text[:min(len(text), 64)])
	if found == nil {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(key)
	for _, digits := range found[1:5] {
		code, err := strconv.ParseUint(digits, 16, 32)
		switch {
		case err != nil:
		case unicode.ToLower(rune(code)) == unicode.ToLower(r):
			return size, len(found[0])
		case code == uint64(key[0]): // one byte of several
			return 1, len(found[0])
		}
	}
	named := html.UnescapeString(strings.ReplaceAll(found[6], "&amp;", "&"))
	if plain := found[5] + named; plain != "" && strings.EqualFold(plain, string(r)) {
		return size, len(found[0])
	}
	return 0, 0
}

// gap matches white space in folded headers and wrapped texts, escaped or not.
var gap = regexp.MustCompile(`^(?:[ \t\r\n]|\\+[rnt])+`)

// blank returns the number of bytes of white space at the start of text.
func blank(text string) int { return len(gap.FindString(text)) }

// redactEncoded removes the secret in base 64, after any other text in the same encoding, and in
// hexadecimal.
func (s Secret) redactEncoded(text string) string {
	for before := range 3 {
		coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), *s.value...))
		// The characters at either end depend on the text next to the key.
		first, last := (before*8+5)/6, (before+len(*s.value))*8/6
		if inner := coded[first:last]; len(inner) >= leastPart {
			text = hide(text, inner, `[A-Za-z0-9+/=_-]*`, s.String())
			text = hide(text, strings.NewReplacer("+", "-", "/", "_").Replace(inner), `[A-Za-z0-9+/=_-]*`, s.String())
		}
	}
	return hide(text, hex.EncodeToString([]byte(*s.value)), "", s.String())
}

// hide replaces inner, in any case, together with the adjacent characters that match around.
func hide(text, inner, around, by string) string {
	if !strings.Contains(strings.ToLower(text), strings.ToLower(inner)) {
		return text
	}
	return regexp.MustCompile("(?i)"+around+regexp.QuoteMeta(inner)+around).ReplaceAllLiteralString(text, by)
}
