package words

import (
	"strings"
	"unicode"
)

// Clean drops control bytes, so that no text from data can steer a terminal.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, s)
}
