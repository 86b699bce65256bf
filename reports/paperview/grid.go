package paperview

import (
	"fmt"
	"maps"
	"slices"

	"infbench/internal/words"
	"infbench/reports/published"
	"infbench/reports/table"
)

// grid is a table before it is cut into panels.
type grid struct {
	form
	columns []column
	lines   []line
	notes   []string
	by      bool // lines name their source
}

// line is a row of a grid.
type line struct {
	row     int    // row of the paper's table; 0 if it has none
	group   string // group of the line
	class   string // class in which the best is chosen
	labels  []string
	by      string
	of      *published.PrintedCell // its first entry as printed; nil if the paper has no such row
	entries map[column]table.Entry
}

// tables returns the panels of a grid; nil if it has no lines.
func (g grid) tables(id, title, caption string) []*table.Table {
	if len(g.lines) == 0 {
		return nil
	}
	var out []*table.Table
	for i, columns := range g.panels() {
		t := &table.Table{ID: fmt.Sprintf("%s-table-%d", id, i+1), Title: title, Caption: caption, Columns: slices.Clone(g.labels)}
		if g.by {
			t.Columns = append(t.Columns, table.Column{Name: "by"})
		}
		for _, c := range columns {
			t.Columns = append(t.Columns, c.head(g.counts))
		}
		g.fill(t, columns)
		t.MarkBest()
		t.Notes = t.Remarks()
		if i == 0 {
			t.Notes = append(t.Notes, g.notes...)
		}
		out = append(out, t)
	}
	return out
}

// panels divides the columns like the paper's tables.
func (g grid) panels() [][]column {
	if g.panel == 0 {
		return [][]column{g.columns}
	}
	var out [][]column
	var blocks []string
	for _, c := range g.columns {
		if blocks = words.AddNew(blocks, c.block); (len(blocks)-1)/g.panel == len(out) {
			out = append(out, nil)
		}
		at := slices.Index(blocks, c.block) / g.panel
		out[at] = append(out[at], c)
	}
	return out
}

// fill adds the lines to a table, each group under a line with its name.
func (g grid) fill(t *table.Table, columns []column) {
	group := ""
	for _, l := range g.lines {
		if l.group != group && l.group != "" {
			head := make([]table.Entry, len(t.Columns))
			head[0].Text = words.Clean(l.group)
			t.Rows = append(t.Rows, table.Row{Class: "heading", Entries: head})
		}
		group = l.group
		var entries []table.Entry
		for _, text := range l.labels {
			entries = append(entries, table.Entry{Text: text})
		}
		if g.by {
			entries = append(entries, table.Entry{Text: l.by})
		}
		for _, c := range columns {
			entries = append(entries, l.entries[c])
		}
		t.Rows = append(t.Rows, table.Row{Class: l.class, Entries: entries})
	}
}

// sideBySide adds the measured lines below the corresponding lines of the paper.
func sideBySide(printed, own grid) grid {
	out := grid{form: printed.form, columns: printed.columns, by: true, notes: own.notes}
	for _, p := range printed.lines {
		var below []line
		for _, l := range own.lines {
			if l.row == p.row && l.valued() {
				l.by, l.group = "here", p.group
				below = append(below, l)
			}
		}
		if len(below) == 0 {
			continue
		}
		p.by = "paper"
		out.lines = append(append(out.lines, p), below...)
	}
	for i := range out.lines { // no best among numbers from two sources
		out.lines[i].class = fmt.Sprint(i)
	}
	if n := len(printed.lines) - printedIn(out); n > 0 && len(out.lines) > 0 {
		out.notes = append(slices.Clone(out.notes), words.Plural(n, "row of the paper was", "rows of the paper were")+" not run here.")
	}
	return out
}

// besideOther puts columns that are not in the paper before the printed ones, loss by
// loss. Rows that are not in the paper come last.
func besideOther(own, printed grid) grid {
	out := grid{form: printed.form, notes: own.notes}
	out.panel = 0
	here := func(c column) column {
		c.block = "measured here: " + c.block
		return c
	}
	for _, c := range own.columns {
		out.columns = append(out.columns, here(c))
	}
	out.columns = append(out.columns, printed.columns...)
	measured := func(l line) map[column]table.Entry {
		entries := map[column]table.Entry{}
		for _, c := range own.columns {
			entries[here(c)] = lacking()
			if e, ok := l.entries[c]; ok {
				entries[here(c)] = e
			}
		}
		return entries
	}
	for _, p := range printed.lines {
		at := slices.IndexFunc(own.lines, func(l line) bool { return l.row == p.row })
		var mine line
		if at >= 0 {
			mine = own.lines[at]
		}
		entries := measured(mine)
		maps.Copy(entries, p.entries)
		p.entries = entries
		out.lines = append(out.lines, p)
	}
	for i, l := range own.lines {
		first := slices.IndexFunc(own.lines, func(o line) bool { return o.row == l.row })
		if l.row == 0 || first != i {
			l.entries = measured(l)
			out.lines = append(out.lines, l)
		}
	}
	return out
}

func printedIn(g grid) (n int) {
	for _, l := range g.lines {
		if l.by == "paper" {
			n++
		}
	}
	return n
}

// valued reports whether a line contains a number.
func (l line) valued() bool {
	for _, e := range l.entries {
		if e.Sort != nil {
			return true
		}
	}
	return false
}
