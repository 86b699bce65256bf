package table

import (
	"fmt"
	"io"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"infbench/reports/words"
)

// PlainEntry is an entry on a terminal, where nothing is bold.
func PlainEntry(e Entry) string { return words.Clean(e.Text) }

// TerminalLook is a table with light rules and no box.
func TerminalLook() tw.Rendition {
	return tw.Rendition{
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
		},
	}
}

// Text prints one table through tablewriter, shared and own headings joined by
// join. Its automatic formatting stays
// off: it would print nDCG@5 as NDCG@5 and join equal neighbours.
func (t *Table) Text(w io.Writer, look tw.Renderer, word func(Entry) string, join string) error {
	align := make([]tw.Align, len(t.Columns))
	head := make([]string, len(t.Columns))
	for j, c := range t.Columns {
		align[j] = tw.AlignLeft
		if c.Number {
			align[j] = tw.AlignRight
		}
		head[j] = word(Entry{Text: c.Name})
		if c.Group != "" {
			head[j] = word(Entry{Text: c.Group}) + join + head[j]
		}
	}
	plain := tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone}
	columns := tw.CellAlignment{PerColumn: align}
	table := tablewriter.NewTable(w,
		tablewriter.WithRenderer(look),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{Formatting: plain, Alignment: columns},
			Row:    tw.CellConfig{Formatting: plain, Alignment: columns},
		}))
	table.Header(head)
	for _, r := range t.Rows {
		cells := make([]string, len(r.Entries))
		for j, e := range r.Entries {
			cells[j] = word(e)
		}
		if err := table.Append(cells); err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("table %s: %w", t.ID, err)
	}
	return nil
}

// Printer writes lines and keeps the first error.
type Printer struct {
	W   io.Writer
	Err error
}

func (p *Printer) Line(s string) {
	if p.Err == nil {
		_, p.Err = io.WriteString(p.W, s+"\n")
	}
}

func (p *Printer) Keep(err error) {
	if p.Err == nil {
		p.Err = err
	}
}
