package results

import (
	"strings"
)

// FileName keeps letters, digits, '-', '_' and inner dots of a name.
func FileName(name string) string {
	s := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	return strings.Trim(s, ".")
}
