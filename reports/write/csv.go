package write

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"infbench/reports"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/reports/words"
)

// WriteCSV prints the grids of a report as one tidy table, a line for each
// cell: the values of the projection's keys, then what the cell holds. Values
// are in their native range, not times 100, and empty where there is none.
//
// Where published numbers stand beside those of a leaderboard, a line for each
// pair follows, with the published number, the delta and the verdict in columns
// of their own. Published numbers alone are a table of theirs; tables that are no
// projection, such as those of some views, are listed entry by entry.
func WriteCSV(w io.Writer, r *reports.Report) error {
	var lines [][]string
	switch {
	case len(r.Grids) == 0 && r.Projected != nil:
		lines = tableLines(r.Projected)
	case len(r.Grids) == 0:
		lines = publishedLines(r)
	default:
		lines = gridLines(r.Grids)
		if r.Projected == nil && len(r.Comparisons) > 0 {
			lines = append(lines, besideLines(r, len(lines[0]))...)
			padLines(lines, besideColumns)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// gridLines lists the cells of grids, below a head.
func gridLines(grids []*scores.Grid) [][]string {
	lines := [][]string{append(Guarded(grids[0].Keys), "value", "state", "queries", "undefined", "tasks", "trials", "planned")}
	for _, g := range grids {
		for a, row := range g.Rows {
			for b, col := range g.Cols {
				if cell := g.Cells[a][b]; cell.State != scores.Unplanned {
					lines = append(lines, append(Guarded(slices.Concat(g.Table, row, col)), number(cell), string(cell.State),
						strconv.Itoa(cell.Queries), strconv.Itoa(cell.Undefined), strconv.Itoa(cell.Tests),
						strconv.Itoa(cell.Trials), strconv.Itoa(cell.Planned)))
				}
			}
		}
	}
	return lines
}

// tableLines lists the entries of tables, a line each, below a head. Text is what
// other formats show.
func tableLines(tables []*table.Table) [][]string {
	lines := [][]string{{"table", "row", "heading", "column", "text", "value"}}
	for _, t := range tables {
		for i, row := range t.Rows {
			for j, e := range row.Entries {
				value := ""
				if e.Sort != nil {
					value = exactly(*e.Sort)
				}
				if e.Text != "" {
					lines = append(lines, append(Guarded([]string{t.Title, strconv.Itoa(i + 1), row.Entries[0].Text, t.Columns[j].Flat(), e.Text}), value))
				}
			}
		}
	}
	return lines
}

// besideColumns follow those of the cells of a leaderboard.
var besideColumns = []string{"published", "published_by", "delta", "tolerance", "verdict"}

// besideLines are the pairs of a measured and a published number, each as long as
// a line of a leaderboard's cells and besideColumns.
func besideLines(r *reports.Report, width int) [][]string {
	var lines [][]string
	for _, c := range r.Comparisons {
		line := Guarded([]string{c.System.Label, c.Quantity.Columns[0].Benchmark, c.Quantity.Task, c.Quantity.Side, c.Quantity.Measure})
		line = append(line, number(c.Measured), string(c.Measured.State))
		line = append(line, make([]string, width-len(line))...)
		line[width-2] = strconv.Itoa(c.Measured.Trials) // of width, the last but one
		delta := ""
		if d, ok := c.Delta(); ok {
			delta = exactly(d)
		}
		lines = append(lines, slices.Concat(line, []string{exactly(c.Other.Value)}, Guarded([]string{c.By()}), []string{delta, exactly(c.Other.Tolerance)}, Guarded([]string{c.Verdict()})))
	}
	return lines
}

// padLines adds columns to a table, empty in the lines that lack them.
func padLines(lines [][]string, names []string) {
	lines[0] = append(lines[0], names...)
	for i := range lines {
		lines[i] = append(lines[i], make([]string, len(lines[0])-len(lines[i]))...)
	}
}

// publishedLines lists the numbers on published leaderboards, below a head.
func publishedLines(r *reports.Report) [][]string {
	lines := [][]string{{"source", "model", "revision", "config", "task", "split", "subset", "side", "measure", "value", "tolerance",
		"judgments", "ties", "excluded_documents", "made_by", "file"}}
	for _, b := range r.Published {
		for _, c := range b.Shown {
			n := publishedNumber(c)
			lines = append(lines, slices.Concat(
				Guarded([]string{n.Source, n.Model, n.Revision, n.Config, n.Task, n.Split, n.Subset, n.Side, n.Measure}),
				[]string{exactly(n.Value), exactly(n.Tolerance)},
				Guarded([]string{n.Judgments, n.Ties, n.Excluded, n.MadeBy, n.File})))
		}
	}
	return lines
}

// Number is the value with all its digits, or nothing.
func number(c scores.Cell) string {
	if !c.State.Valued() {
		return ""
	}
	return exactly(c.Value)
}

// exactly prints all digits of a number.
func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Guarded cleans texts and puts an apostrophe before those that a spreadsheet
// would run as a formula.
func Guarded(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = words.Clean(s)
		if start := strings.TrimSpace(out[i]); start != "" && strings.ContainsRune("=+-@|%", rune(start[0])) {
			out[i] = "'" + out[i]
		}
	}
	return out
}
