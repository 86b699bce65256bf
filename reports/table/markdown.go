package table

import (
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
		case '|', '*', '_', '`', '[', ']', '\\', '~', '#', '!':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	// A bare address would become a link.
	return strings.ReplaceAll(b.String(), "://", ":\u200b//")
}

func MarkdownTable(t *Table) (string, error) {
	var b strings.Builder
	err := t.Text(&b, renderer.NewMarkdown(), MarkdownEntry, " ")
	return b.String(), err
}
