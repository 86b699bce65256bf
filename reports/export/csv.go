package export

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strconv"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/beside"
	"infbench/reports/scores"
	"infbench/reports/section"
)

// WriteCSV prints a report as one tidy table. First come the cells of its grids, one a line: the
// values of the projection's keys, then the contents of the cell. Values are in their native range,
// not times 100; undefined values are empty. Next come pairs of measured and published numbers,
// published numbers, and every entry of every table of every section, each kind with its own
// columns. A line is empty in the columns of other kinds. Records of machines (times, memory,
// commands, curves) are left out, so that equal numbers give equal bytes.
func WriteCSV(w io.Writer, r *reports.Report) error {
	grids, err := r.Grids()
	if err != nil {
		return err
	}
	var l lines
	for _, g := range grids {
		l.grid(g)
	}
	if !r.Asked {
		for _, c := range r.Counterparts {
			l.counterpart(c)
		}
		for _, b := range r.Published {
			for _, c := range b.Shown {
				l.published(publishedNumber(c))
			}
		}
	}
	eachSection(r, func(s *section.Section, _ int) {
		if s.Source.From != section.FromRuns {
			l.section(s)
		}
	})
	return l.write(w)
}

// lines is a table whose columns are added as they are met.
type lines struct {
	columns []string
	known   map[string]int
	rows    [][]string
}

// field is a value of a column. Text is guarded against spreadsheet formulas unless it is an exact
// number of infbench.
type field struct {
	column, text string
	exact        bool // a number of infbench
}

// add adds a line.
func (l *lines) add(fields ...field) {
	if l.known == nil {
		l.known = map[string]int{}
	}
	var row []string
	for _, f := range fields {
		at, ok := l.known[f.column]
		if !ok {
			at = len(l.columns)
			l.known[f.column] = at
			l.columns = append(l.columns, f.column)
		}
		for len(row) <= at {
			row = append(row, "")
		}
		if row[at] = f.text; !f.exact {
			row[at] = words.Guarded(f.text)
		}
	}
	l.rows = append(l.rows, row)
}

func (l *lines) write(w io.Writer) error {
	out := csv.NewWriter(w)
	head := words.GuardedAll(l.columns)
	if err := out.Write(head); err != nil {
		return err
	}
	for _, row := range l.rows {
		if err := out.Write(append(row, make([]string, len(head)-len(row))...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// grid adds the cells of a grid.
func (l *lines) grid(g *scores.Grid) {
	for a, row := range g.Rows {
		for b, col := range g.Cols {
			c := g.Cells[a][b]
			if c.State == scores.Unplanned {
				continue
			}
			var fields []field
			for i, value := range slices.Concat(g.Table, row, col) {
				fields = append(fields, field{column: g.Keys[i], text: value})
			}
			l.add(append(fields, measured(c)...)...)
		}
	}
}

// measured returns the fields of a cell.
func measured(c scores.Cell) []field {
	value := ""
	if c.State.Valued() {
		value = exactly(c.Value)
	}
	return []field{{"value", value, true}, {"state", string(c.State), true}, {"queries", strconv.Itoa(c.Queries), true}, {"undefined", strconv.Itoa(c.Undefined), true},
		{"tasks", strconv.Itoa(c.Tests), true}, {"trials", strconv.Itoa(c.Trials), true}, {"planned", strconv.Itoa(c.Planned), true}}
}

// counterpart adds a measured number with its published counterpart.
func (l *lines) counterpart(c beside.Counterpart) {
	delta, low, high := "", "", ""
	if d, ok := c.Delta(); ok {
		delta = exactly(d)
	}
	if from, to, ok := c.Range.Get(); ok {
		low, high = exactly(from), exactly(to)
	}
	l.add(field{column: scores.KeySystem, text: c.System.Label}, field{column: scores.KeyBenchmark, text: c.Quantity.Benchmark}, field{column: scores.KeyTask, text: c.Quantity.Called()},
		field{column: scores.KeySide, text: c.Quantity.Side}, field{column: scores.KeyMeasure, text: c.Quantity.Measure},
		field{"value", exactly(c.Measured.Value), true}, field{"state", string(c.Measured.State), true}, field{"trials", strconv.Itoa(c.Measured.Trials), true},
		field{"published", exactly(c.Other.Value), true}, field{column: "published_by", text: c.By()}, field{"delta", delta, true},
		field{"tolerance", exactly(c.Other.Tolerance), true}, field{column: "verdict", text: c.Verdict()},
		field{"further_run_low", low, true}, field{"further_run_high", high, true}, field{column: "ties_decide", text: c.TiesText()})
}

// published adds a published number.
func (l *lines) published(n jsonNumber) {
	l.add(field{column: "source", text: n.Source}, field{column: "model", text: n.Model}, field{column: "revision", text: n.Revision}, field{column: "config", text: n.Config},
		field{column: scores.KeyTask, text: n.Task}, field{column: "split", text: n.Split}, field{column: "subset", text: n.Subset}, field{column: scores.KeySide, text: n.Side}, field{column: scores.KeyMeasure, text: n.Measure},
		field{"value", exactly(n.Value), true}, field{"tolerance", exactly(n.Tolerance), true}, field{column: "judgments", text: n.Judgments}, field{column: "ties", text: n.Ties},
		field{column: "excluded_documents", text: n.Excluded}, field{column: "made_by", text: n.MadeBy}, field{column: "file", text: n.File})
}

// section adds the texts of a section and the entries of its tables, in the form of other formats.
func (l *lines) section(s *section.Section) {
	for _, text := range append(about(s), linesOf(s)...) {
		l.add(field{column: "section", text: s.Title}, field{column: "text", text: text})
	}
	for _, t := range tablesOf(s) {
		for i, row := range t.Rows {
			for j, e := range row.Entries {
				if e.Text == "" {
					continue
				}
				value := ""
				if e.Sort != nil {
					value = exactly(*e.Sort)
				}
				fields := []field{{column: "section", text: s.Title}, {column: "table", text: t.Title}, {"row", strconv.Itoa(i + 1), true},
					{column: "heading", text: row.Entries[0].Text}, {column: "column", text: t.Columns[j].Flat()}, {column: "text", text: e.Text}, {"number", value, true}}
				if s.Source.From == section.FromElsewhere && printedNumber.MatchString(e.Text) {
					fields = append(fields, field{"printed", e.Text, true})
				}
				l.add(fields...)
			}
		}
	}
}

// printedNumber matches a number as others print it. Spreadsheets do not run it, so it is kept to
// the letter.
var printedNumber = regexp.MustCompile(`^-?[0-9]+\.?[0-9]*$`)

// exactly prints all digits of a number.
func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
