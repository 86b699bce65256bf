package reports

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// WriteCSV prints the grids of a report as one tidy table, a line for each
// cell: the values of the projection's keys, then what the cell holds. Values
// are in their native range, not times 100, and empty where there is none.
func WriteCSV(w io.Writer, r *Report) error {
	c := csv.NewWriter(w)
	for i, g := range r.Grids {
		if i == 0 {
			if err := c.Write(append(guarded(g.Keys), "value", "state", "queries", "undefined", "tasks", "trials", "planned")); err != nil {
				return err
			}
		}
		for a, row := range g.Rows {
			for b, col := range g.Cols {
				cell := g.Cells[a][b]
				if cell.State == Unplanned {
					continue
				}
				line := guarded(slices.Concat(g.Table, row, col))
				if err := c.Write(append(line, cell.number(), string(cell.State),
					strconv.Itoa(cell.Queries), strconv.Itoa(cell.Undefined), strconv.Itoa(cell.Tests),
					strconv.Itoa(cell.Trials), strconv.Itoa(cell.Planned))); err != nil {
					return err
				}
			}
		}
	}
	c.Flush()
	return c.Error()
}

// number is the value with all its digits, or nothing.
func (c Cell) number() string {
	if !c.State.Valued() {
		return ""
	}
	return strconv.FormatFloat(c.Value, 'g', -1, 64)
}

// guarded cleans texts and puts an apostrophe before those that a spreadsheet
// would run as a formula.
func guarded(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = clean(s)
		if out[i] != "" && slices.Contains([]byte("=+-@|%"), out[i][0]) {
			out[i] = "'" + out[i]
		}
	}
	return out
}
