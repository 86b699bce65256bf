package main

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

// sheet is one small table of a verb that prints its own numbers. Cells may hold
// text from data: every writer makes them safe.
type sheet struct {
	title string
	head  []string
	left  int // how many first columns hold text and not numbers
	rows  [][]string
	notes []string
}

// sheetFormats are the values of --format of the verbs that print sheets.
var sheetFormats = []string{"table", "json", "csv"}

// checkSheetFormat refuses an unknown --format.
func checkSheetFormat(format string) error {
	if slices.Contains(sheetFormats, format) {
		return nil
	}
	return usage.Error{Err: nearest.Unknown("format", format, sheetFormats)}
}

// writeTable prints the sheet for a terminal: title, aligned columns, notes.
func (s sheet) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s\n", words.Clean(s.title)); err != nil {
		return err
	}
	align := make([]tw.Align, len(s.head))
	for i := range align {
		align[i] = tw.AlignRight
		if i < s.left {
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
	table.Header(words.CleanAll(s.head))
	for _, row := range s.rows {
		if err := table.Append(words.CleanAll(row)); err != nil {
			return err
		}
	}
	if err := table.Render(); err != nil {
		return err
	}
	for _, note := range s.notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", words.Clean(note)); err != nil {
			return err
		}
	}
	return nil
}

// writeSheets prints sheets with a blank line between them.
func writeSheets(w io.Writer, sheets ...sheet) error {
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.writeTable(w); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV prints head and rows; a cell that a spreadsheet would run as a
// formula gets an apostrophe, numbers do not.
func (s sheet) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, row := range append([][]string{s.head}, s.rows...) {
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

// writeAs prints what a verb found in a format that checkSheetFormat lets pass: v as
// JSON, rows as CSV, or tables for a terminal, the rows themselves without any.
func writeAs(w io.Writer, format string, v any, rows sheet, tables ...sheet) error {
	switch {
	case format == "json":
		return writeJSON(w, v)
	case format == "csv":
		return rows.writeCSV(w)
	case len(tables) == 0:
		return rows.writeTable(w)
	}
	return writeSheets(w, tables...)
}

// writeJSON prints v indented; <, > and & are escaped.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
