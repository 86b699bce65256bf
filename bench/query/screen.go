package query

import (
	"io"

	"github.com/olekukonko/tablewriter/renderer"

	"infbench/reports/table"
	"infbench/reports/words"
)

// screen prints what a terminal shows.
type screen struct{ table.Printer }

func newScreen(w io.Writer) *screen { return &screen{table.Printer{W: w}} }

// lines prints a paragraph behind a lead.
func (s *screen) lines(lead, text string) { s.Line(lead + words.Clean(text)) }

// table prints a table without its title.
func (s *screen) table(t *table.Table) {
	s.Keep(t.Text(s.W, renderer.NewBlueprint(table.TerminalLook()), table.PlainEntry, " "))
}
