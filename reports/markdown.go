package reports

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"
)

// WriteMarkdown prints a report as GitHub-flavoured Markdown. Text from outside
// cannot start markup, a link or an HTML tag.
func WriteMarkdown(w io.Writer, r *Report) error {
	p := &printer{w: w}
	p.line("# " + markdownText(r.Title))
	p.line("")
	for _, s := range r.said() {
		p.line("- " + markdownText(s))
	}
	for _, t := range r.Tables() {
		p.line("")
		p.line("## " + markdownText(t.Title))
		p.line("")
		if t.Caption != "" {
			p.line(markdownText(t.Caption))
			p.line("")
		}
		p.keep(t.text(w, renderer.NewMarkdown(), markdownEntry, " "))
		if len(t.Notes) > 0 {
			p.line("")
		}
		for _, note := range t.Notes {
			p.line("- " + markdownText(note))
		}
	}
	return p.err
}

// markdownEntry is an entry with the best of its column in bold.
func markdownEntry(e Entry) string {
	if e.Best {
		return "**" + markdownText(e.Text) + "**"
	}
	return markdownText(e.Text)
}

// markdownText escapes every character that Markdown or HTML could read as
// markup; tablewriter escapes none.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
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
