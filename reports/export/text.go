package export

import (
	"io"
	"strings"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/reports/terminal"
)

// WriteTerminal prints a report as text for a terminal, within its width and in its colours
// (package terminal). The text of a report adds no control bytes except line feeds.
func WriteTerminal(w io.Writer, r *reports.Report) error {
	p := screenPrinter{terminal.On(w), &table.Printer{W: w}}
	p.underlined(r.Title, "=")
	for _, s := range r.Said() {
		p.prose("- ", s)
	}
	eachSection(r, func(s *section.Section, depth int) {
		p.Line("")
		if s.Title != "" {
			p.underlined(s.Title, "-")
		}
		for _, text := range about(s) {
			p.prose("", text)
		}
		for _, line := range linesOf(s) {
			text := strings.TrimLeft(line, " ")
			p.prose("  "+line[:min(len(line)-len(text), deepest)], text)
		}
		for _, t := range tablesOf(s) {
			if len(t.Rows)+len(t.Notes) > 0 {
				p.Line("")
				p.table(t, s.Title)
			}
		}
	})
	return p.Err
}

// deepest limits the indentation of a file's lines, to leave room for words.
const deepest = 12

// screenPrinter prints lines that fit a screen.
type screenPrinter struct {
	screen terminal.Screen
	*table.Printer
}

// prose prints a paragraph that begins with a lead.
func (p screenPrinter) prose(lead, text string) {
	for _, line := range p.screen.Lines(lead, text) {
		p.Line(line)
	}
}

// underlined prints a heading.
func (p screenPrinter) underlined(title, line string) {
	width := terminal.Width(words.Clean(title))
	if p.screen.Width > 0 {
		width = min(width, p.screen.Width)
	}
	p.prose("", title)
	p.Line(strings.Repeat(line, width))
}

// table prints a table; it omits the title if that repeats the heading of the section.
func (p screenPrinter) table(t *table.Table, heading string) {
	if t.Title != heading {
		p.prose("", t.Title)
	}
	better := ""
	if p.screen.Colour {
		better = "Blue"
	}
	if said := t.Explained(p.screen.Colour, better); said != "" {
		p.prose("", said)
	}
	if len(t.Rows) > 0 {
		for _, line := range p.screen.Table(t) {
			p.Line(line)
		}
	}
	for _, note := range t.Notes {
		p.prose("  note: ", note)
	}
}
