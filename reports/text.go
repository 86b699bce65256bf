package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// WriteTerminal prints a report as plain text for a terminal. No control byte
// but the line feed ever comes out.
func WriteTerminal(w io.Writer, r *Report) error {
	p := &printer{w: w}
	p.line(clean(r.Title))
	p.line(strings.Repeat("=", len([]rune(clean(r.Title)))))
	for _, s := range r.said() {
		p.line("- " + clean(s))
	}
	for _, t := range r.Tables() {
		p.line("")
		p.line(clean(t.Title))
		if t.Caption != "" {
			p.line(clean(t.Caption))
		}
		p.keep(t.text(w, renderer.NewBlueprint(terminalLook()), plainEntry, "\n"))
		for _, note := range t.Notes {
			p.line("  note: " + clean(note))
		}
	}
	return p.err
}

// plainEntry is an entry on a terminal, where nothing is bold.
func plainEntry(e Entry) string { return clean(e.Text) }

// terminalLook is a table with light rules and no box.
func terminalLook() tw.Rendition {
	return tw.Rendition{
		Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
		},
	}
}

// text prints one table through tablewriter, shared and own headings joined by
// join. Its automatic formatting stays
// off: it would print nDCG@5 as NDCG@5 and join equal neighbours.
func (t *Table) text(w io.Writer, look tw.Renderer, word func(Entry) string, join string) error {
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

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s+"\n")
	}
}

func (p *printer) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}
