package reports

import (
	"path"
	"regexp"
	"strings"
)

// rooted is a path from the root of a machine or from a home folder, where a value of YAML
// or of the command line may begin, in quotes with the spaces in it.
var rooted = regexp.MustCompile(`(?m)(^|[\s\[({,=+])("(?:~|[A-Za-z]:)?[/\\]\\?[^"/\\][^"]*"|'(?:~|[A-Za-z]:)?[/\\][^'/\\][^']*'|(?:~|[A-Za-z]:)?[/\\][^\s"'\])},+@/\\][^\s"'\])},+@]*)`)

// withoutRoots is a text with such paths by their last names (…/x.jsonl): where a file lay is
// of one machine and tells nobody else anything. What it held is told by its hash.
func withoutRoots(text string) string {
	return rooted.ReplaceAllStringFunc(text, func(found string) string {
		m := rooted.FindStringSubmatch(found)
		before, where, quote := m[1], m[2], ""
		if c := where[:1]; c == `"` || c == "'" {
			quote, where = c, where[1:len(where)-1]
		}
		return before + quote + "…/" + path.Base(strings.ReplaceAll(where, `\`, "/")) + quote
	})
}
