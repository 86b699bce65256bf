package export

import (
	"io"
	"strings"

	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
)

// WriteMarkdown prints a report as GitHub-flavoured Markdown. Text from outside
// cannot start markup, a link or an HTML tag.
func WriteMarkdown(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	paragraph := func(text string) {
		p.Line(text)
		p.Line("")
	}
	paragraph("# " + table.MarkdownText(r.Title))
	for _, s := range r.Said() {
		p.Line("- " + table.MarkdownText(s))
	}
	eachSection(r, func(s *section.Section, depth int) {
		p.Line("")
		heading := strings.Repeat("#", min(depth, 3)+2) + " "
		if s.Title != "" {
			paragraph(heading + table.MarkdownText(s.Title))
		}
		for _, text := range about(s) {
			paragraph(table.MarkdownText(text))
		}
		if s.Text != "" {
			fence(p, linesOf(s))
		}
		for _, t := range tablesOf(s) {
			if t.Title != s.Title {
				paragraph("#" + heading + table.MarkdownText(t.Title))
			}
			if said := t.Explained(true, ""); said != "" {
				paragraph(table.MarkdownText(said))
			}
			p.Keep(t.Markdown(w))
			p.Line("")
			for _, note := range t.Notes {
				p.Line("- " + table.MarkdownText(note))
			}
		}
	})
	return p.Err
}

// fence prints the lines of a file between fences that no line can end.
func fence(p *table.Printer, lines []string) {
	mark := "```"
	for strings.Contains(strings.Join(lines, "\n"), mark) {
		mark += "`"
	}
	p.Line(mark)
	for _, line := range lines {
		p.Line(line)
	}
	p.Line(mark)
	p.Line("")
}
