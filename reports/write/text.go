package write

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/reports"
	"infbench/reports/table"
	"infbench/reports/words"
)

// WriteTerminal prints a report as plain text for a terminal. No control byte
// but the line feed ever comes out.
func WriteTerminal(w io.Writer, r *reports.Report) error {
	p := &table.Printer{W: w}
	p.Line(words.Clean(r.Title))
	p.Line(strings.Repeat("=", len([]rune(words.Clean(r.Title)))))
	for _, s := range r.Said() {
		p.Line("- " + words.Clean(s))
	}
	for _, t := range r.Tables() {
		p.Line("")
		p.Line(words.Clean(t.Title))
		if t.Caption != "" {
			p.Line(words.Clean(t.Caption))
		}
		p.Keep(t.Text(w, renderer.NewBlueprint(table.TerminalLook()), table.PlainEntry, "\n"))
		for _, note := range t.Notes {
			p.Line("  note: " + words.Clean(note))
		}
	}
	return p.Err
}
