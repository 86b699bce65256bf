package command

import (
	"io"

	"infbench/reports/table"
	"infbench/reports/terminal"
)

// screen prints to a terminal, within its width.
type screen struct {
	table.Printer
	on terminal.Screen
}

func newScreen(w io.Writer) *screen { return &screen{table.Printer{W: w}, terminal.On(w)} }

// lines prints a paragraph after a lead.
func (s *screen) lines(lead, text string) { s.print(s.on.Lines(lead, text)) }

// table prints a table without its title.
func (s *screen) table(t *table.Table) { s.print(s.on.Table(t)) }

func (s *screen) print(lines []string) {
	for _, line := range lines {
		s.Line(line)
	}
}
