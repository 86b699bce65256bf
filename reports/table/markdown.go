package table

import (
	"regexp"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/reports/words"
)

// MarkdownEntry is an entry with the best of its column in bold.
func MarkdownEntry(e Entry) string {
	if e.Best {
		return "**" + MarkdownText(e.Text) + "**"
	}
	return MarkdownText(e.Text)
}

// MarkdownText escapes every character that Markdown or HTML could read as
// markup; tablewriter escapes none.
func MarkdownText(s string) string {
	var b strings.Builder
	for _, r := range words.Clean(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '|', '*', '_', '`', '[', ']', '\\', '~', '#', '!', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return inert.ReplaceAllStringFunc(b.String(), func(found string) string {
		if i := strings.IndexAny(found, "@.:-"); i >= 0 {
			if found[i] == '@' || found[i] == ':' {
				i++
			}
			return found[:i] + "\u200b" + found[i:]
		}
		return found
	})
}

// inert finds what GitHub links or notifies after Markdown was read, where no escape
// helps: addresses, mentions, e-mail addresses and references to issues. nDCG@10 is none.
var inert = regexp.MustCompile(`://|(?i:www\.)|@[A-Za-z]|(?:^|[^A-Za-z0-9])@|(?i:GH-)[0-9]`)

func MarkdownTable(t *Table) (string, error) {
	var b strings.Builder
	err := t.Text(&b, renderer.NewMarkdown(), MarkdownEntry, " ")
	return b.String(), err
}
