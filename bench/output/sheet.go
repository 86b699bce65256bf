package output

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/reports/terminal"
)

// Sheet is a small table of a verb's own numbers. Cells may hold text from data; every writer
// escapes them.
type Sheet struct {
	Title string
	Head  []string
	Left  int // number of leading columns that hold text instead of numbers
	Rows  [][]string
	Notes []string
}

// Formats are the values of --format for verbs that print sheets.
var Formats = []string{"table", "json", "csv"}

// CheckFormat returns an error for an unknown --format.
func CheckFormat(format string) error {
	if slices.Contains(Formats, format) {
		return nil
	}
	return usage.Error{Err: nearest.Unknown("format", format, Formats)}
}

// WriteTable prints the sheet for a terminal, within its width: title, aligned columns if there
// are rows, notes.
func (s Sheet) WriteTable(w io.Writer) error {
	t := table.Table{ID: s.Title}
	for i, name := range s.Head {
		t.Columns = append(t.Columns, table.Column{Name: name, Number: i >= s.Left})
	}
	for _, row := range s.Rows {
		entries := make([]table.Entry, len(row))
		for i, text := range row {
			entries[i].Text = text
		}
		t.Rows = append(t.Rows, table.Row{Entries: entries})
	}
	screen := terminal.On(w)
	lines := screen.Lines("", s.Title)
	if len(s.Rows) > 0 {
		lines = append(lines, screen.Table(&t)...)
	}
	for _, note := range s.Notes {
		lines = append(lines, screen.Lines("note: ", note)...)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Print prints a verb's result in one of Formats: v as JSON, rows as CSV, or tables separated
// by blank lines; without tables it prints rows as a table.
func Print(w io.Writer, format string, v any, rows Sheet, tables ...Sheet) error {
	switch {
	case format == "json":
		return WriteJSON(w, v)
	case format == "csv":
		return rows.WriteCSV(w)
	case len(tables) == 0:
		return rows.WriteTable(w)
	}
	for i, s := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.WriteTable(w); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV prints head and rows. A cell that a spreadsheet would run as a formula gets an
// apostrophe, unless it is a number.
func (s Sheet) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, row := range append([][]string{s.Head}, s.Rows...) {
		safe := words.GuardedAll(row)
		for i, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				safe[i] = cell
			}
		}
		if err := c.Write(safe); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Exact formats all digits of a number; "" for nil.
func Exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// WriteJSON prints v indented; <, > and & are escaped.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
