// Package sheet prints small tables of a verb's own numbers: for a terminal, as CSV or
// as JSON. What reports show of results is laid out by package reports.
package sheet

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"infbench/bench/usage"
	"infbench/metrics/nearest"
	"infbench/reports/words"
)

// Sheet is one small table of a verb that prints its own numbers. Cells may hold
// text from data: every writer makes them safe.
type Sheet struct {
	Title string
	Head  []string
	Left  int // how many first columns hold text and not numbers
	Rows  [][]string
	Notes []string
}

// Formats are the values of --format of the verbs that print sheets.
var Formats = []string{"table", "json", "csv"}

// CheckFormat refuses an unknown --format.
func CheckFormat(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	return usage.Error{Err: nearest.Unknown("format", format, Formats)}
}

// WriteTable prints the sheet for a terminal: title, aligned columns, notes.
func (s Sheet) WriteTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n", words.Clean(s.Title)); err != nil {
		return err
	}
	align := make([]tw.Align, len(s.Head))
	for i := range align {
		align[i] = tw.AlignRight
		if i < s.Left {
			align[i] = tw.AlignLeft
		}
	}
	// The automatic formatting would print nDCG@5 as NDCG@5.
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	off := tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off}
	table := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  off,
			Symbols:  tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off}},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}))
	table.Header(words.CleanAll(s.Head))
	for _, row := range s.Rows {
		if err := table.Append(words.CleanAll(row)); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	for _, note := range s.Notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", words.Clean(note)); err != nil {
			return err
		}
	}
	return nil
}

// Print prints one sheet in a format; as JSON it is what all stands for.
func (s Sheet) Print(w io.Writer, format string, all any) error {
	switch format {
	case "json":
		return WriteJSON(w, all)
	case "csv":
		return s.WriteCSV(w)
	}
	return s.WriteTable(w)
}

// Write prints sheets with a blank line between them.
func Write(w io.Writer, sheets ...Sheet) error {
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.WriteTable(w); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV prints head and rows; a cell that a spreadsheet would run as a
// formula gets an apostrophe, numbers do not.
func (s Sheet) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, row := range append([][]string{s.Head}, s.Rows...) {
		safe := words.CleanAll(row)
		for i, cell := range safe {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.IndexAny(cell, "=+-@") == 0 {
				safe[i] = "'" + cell
			}
		}
		if err := c.Write(safe); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// WriteJSON prints v indented; <, > and & are escaped.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
