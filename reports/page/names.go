package page

import (
	"html/template"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longName is the number of letters of a name that may take several lines.
const longName = 32

// longWord is the number of letters of a word that may widen a table.
const longWord = 40

// piece is the largest number of letters of a long word without a place to break it.
const piece = 18

// isLong reports whether a name should be allowed to take several lines in a column of names.
func isLong(name string) bool { return utf8.RuneCountInString(name) > longName || hasLongWord(name) }

func hasLongWord(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(word) > longWord {
			return true
		}
	}
	return false
}

// joints are the places in names after which browsers do not break a line by themselves.
var joints = regexp.MustCompile(`([/_])([A-Za-z0-9])`)

// breakable escapes a text and marks the places where a browser may break its long words: after
// joints, and anywhere in a long piece. The text stays the same when it is copied.
func breakable(text string) template.HTML {
	if !hasLongWord(text) {
		return template.HTML(joints.ReplaceAllString(template.HTMLEscapeString(text), "$1<wbr>$2"))
	}
	var b strings.Builder
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			b.WriteByte(' ')
		}
		if utf8.RuneCountInString(word) <= longWord {
			b.WriteString(template.HTMLEscapeString(word))
			continue
		}
		since := 0
		for _, letter := range word {
			if since >= piece {
				b.WriteString("<wbr>")
				since = 0
			}
			b.WriteString(template.HTMLEscapeString(string(letter)))
			if since++; since > 4 && strings.ContainsRune("/=,_-)", letter) {
				b.WriteString("<wbr>")
				since = 0
			}
		}
	}
	return template.HTML(b.String())
}
