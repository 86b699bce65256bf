package reports

import (
	"path"
	"regexp"
	"strings"
)

// rooted matches an absolute path or one in a home folder, where a value of YAML or of the
// command line may begin; in quotes it may contain spaces.
var rooted = regexp.MustCompile(`(?m)(^|[\s\[({,=+])("(?:~|[A-Za-z]:)?[/\\]\\?[^"/\\][^"]*"|'(?:~|[A-Za-z]:)?[/\\][^'/\\][^']*'|(?:~|[A-Za-z]:)?[/\\][^\s"'\])},+@/\\][^\s"'\])},+@]*)`)

// withoutRoots shortens such paths in a text to their last names (…/x.jsonl): the folders
// on one machine mean nothing to others. A file's content is identified by its hash.
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
