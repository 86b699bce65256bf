package write

import (
	"io"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/reports"
	"infbench/reports/table"
)

// WriteMarkdown prints a report as GitHub-flavoured Markdown. Text from outside
// cannot start markup, a link or an HTML tag.
func WriteMarkdown(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	p.Line("# " + table.MarkdownText(r.Title))
	p.Line("")
	for _, s := range r.Said() {
		p.Line("- " + table.MarkdownText(s))
	}
	for _, t := range r.Tables() {
		p.Line("")
		p.Line("## " + table.MarkdownText(t.Title))
		p.Line("")
		if t.Caption != "" {
			p.Line(table.MarkdownText(t.Caption))
			p.Line("")
		}
		p.Keep(t.Text(w, renderer.NewMarkdown(), table.MarkdownEntry, " "))
		if len(t.Notes) > 0 {
			p.Line("")
		}
		for _, note := range t.Notes {
			p.Line("- " + table.MarkdownText(note))
		}
	}
	return p.Err
}
