package write

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/words"
)

// WriteTerminal prints a report as plain text for a terminal. No control byte
// but the line feed ever comes out.
func WriteTerminal(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	underlined(p, r.Title, "=")
	for _, s := range r.Said() {
		p.Line("- " + words.Clean(s))
	}
	eachSection(r, func(s *section.Section, depth int) {
		p.Line("")
		if s.Title != "" {
			underlined(p, s.Title, "-")
		}
		for _, text := range about(s) {
			p.Line(words.Clean(text))
		}
		for _, line := range linesOf(s) {
			p.Line("  " + words.Clean(line))
		}
		for _, t := range tablesOf(s) {
			p.Line("")
			if t.Title != s.Title {
				p.Line(words.Clean(t.Title))
			}
			if t.Caption != "" {
				p.Line(words.Clean(t.Caption))
			}
			p.Keep(t.Text(w, renderer.NewBlueprint(table.TerminalLook()), table.PlainEntry, "\n"))
			for _, note := range t.Notes {
				p.Line("  note: " + words.Clean(note))
			}
		}
	})
	return p.Err
}

// underlined prints a heading.
func underlined(p *table.Printer, title, line string) {
	p.Line(words.Clean(title))
	p.Line(strings.Repeat(line, len([]rune(words.Clean(title)))))
}
