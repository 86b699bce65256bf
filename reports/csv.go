package reports

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteCSV prints the grids of a report as one tidy table, a line for each
// cell: the values of the projection's keys, then what the cell holds. Values
// are in their native range, not times 100, and empty where there is none.
//
// Where published numbers stand beside those of a leaderboard, a line for each
// pair follows, with the published number, the delta and the verdict in columns
// of their own. Published numbers alone are a table of theirs; tables that are no
// projection, such as those of some views, are listed entry by entry.
func WriteCSV(w io.Writer, r *Report) error {
	var lines [][]string
	switch {
	case len(r.Grids) == 0 && r.Projected != nil:
		lines = tableLines(r.Projected)
	case len(r.Grids) == 0:
		lines = r.publishedLines()
	default:
		lines = gridLines(r.Grids)
		if r.Projected == nil && len(r.comparisons) > 0 {
			lines = append(lines, r.besideLines(len(lines[0]))...)
			padLines(lines, besideColumns)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// gridLines lists the cells of grids, below a head.
func gridLines(grids []*Grid) [][]string {
	lines := [][]string{append(guarded(grids[0].Keys), "value", "state", "queries", "undefined", "tasks", "trials", "planned")}
	for _, g := range grids {
		for a, row := range g.Rows {
			for b, col := range g.Cols {
				if cell := g.Cells[a][b]; cell.State != Unplanned {
					lines = append(lines, append(guarded(slices.Concat(g.Table, row, col)), cell.number(), string(cell.State),
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
func tableLines(tables []*Table) [][]string {
	lines := [][]string{{"table", "row", "heading", "column", "text", "value"}}
	for _, t := range tables {
		for i, row := range t.Rows {
			for j, e := range row.Entries {
				value := ""
				if e.Sort != nil {
					value = exactly(*e.Sort)
				}
				if e.Text != "" {
					lines = append(lines, append(guarded([]string{t.Title, strconv.Itoa(i + 1), row.Entries[0].Text, t.Columns[j].flat(), e.Text}), value))
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
func (r *Report) besideLines(width int) [][]string {
	var lines [][]string
	for _, c := range r.comparisons {
		line := guarded([]string{c.system.label, c.quantity.columns[0].Benchmark, c.quantity.task, c.quantity.side, c.quantity.measure})
		line = append(line, c.measured.number(), string(c.measured.State))
		line = append(line, make([]string, width-len(line))...)
		line[width-2] = strconv.Itoa(c.measured.Trials) // of width, the last but one
		delta := ""
		if d, ok := c.delta(); ok {
			delta = exactly(d)
		}
		lines = append(lines, slices.Concat(line, []string{exactly(c.other.Value)}, guarded([]string{c.by()}), []string{delta, exactly(c.other.Tolerance)}, guarded([]string{c.verdict()})))
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
func (r *Report) publishedLines() [][]string {
	lines := [][]string{{"source", "model", "revision", "config", "task", "split", "subset", "side", "measure", "value", "tolerance",
		"judgments", "ties", "excluded_documents", "made_by", "file"}}
	for _, b := range r.Published {
		for _, c := range b.shown {
			n := publishedNumber(c)
			lines = append(lines, slices.Concat(
				guarded([]string{n.Source, n.Model, n.Revision, n.Config, n.Task, n.Split, n.Subset, n.Side, n.Measure}),
				[]string{exactly(n.Value), exactly(n.Tolerance)},
				guarded([]string{n.Judgments, n.Ties, n.Excluded, n.MadeBy, n.File})))
		}
	}
	return lines
}

// number is the value with all its digits, or nothing.
func (c Cell) number() string {
	if !c.State.Valued() {
		return ""
	}
	return exactly(c.Value)
}

// exactly prints all digits of a number.
func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// guarded cleans texts and puts an apostrophe before those that a spreadsheet
// would run as a formula.
func guarded(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = clean(s)
		if start := strings.TrimSpace(out[i]); start != "" && strings.ContainsRune("=+-@|%", rune(start[0])) {
			out[i] = "'" + out[i]
		}
	}
	return out
}
