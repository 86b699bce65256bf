package scores

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/table"
)

// Entry formats a cell of a grid.
func (c Cell) Entry() table.Entry {
	switch c.State {
	case Unplanned:
		return table.Entry{}
	case Missing:
		return table.Entry{Text: words.MissingMark, Tone: table.Absent, Remark: c.Remark()}
	case Undefined:
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent, Remark: c.Remark()}
	}
	e := table.Number(metrics.Percent(c.Measure, c.Value), c.Value)
	e.From = c.From
	if c.Aggregate {
		e.Text += words.AggregateMark
	}
	if c.State == Partial {
		e.Text += words.PartialMark
		e.Remark = c.Remark()
	}
	return e
}

// Remark describes the values that a partial, undefined or missing cell lacks.
func (c Cell) Remark() string {
	var lacks []string
	switch {
	case len(c.Lacking) > 0:
		lacks = append(lacks, fmt.Sprintf("%s without %s (%s)", words.Plural(len(c.Absent), "trial", "trials"), listed(c.Lacking), listed(words.ShortIDs(c.Absent))))
	case len(c.Absent) > 0:
		lacks = append(lacks, fmt.Sprintf("no value from %s (%s)",
			words.Plural(len(c.Absent), "trial", "trials"), listed(words.ShortIDs(c.Absent))))
	}
	switch {
	case c.State == Undefined && c.many:
		lacks = append(lacks, "undefined for every query of a task")
	case c.State == Undefined:
		lacks = append(lacks, "undefined for every query")
	case c.Undefined > 0:
		lacks = append(lacks, fmt.Sprintf("undefined for %s", words.Plural(c.Undefined, "query", "queries")))
	}
	if c.State == Partial {
		over := fmt.Sprintf("mean over %s of %d of %s", words.Plural(c.Queries, "query", "queries"), c.Trials, words.Plural(c.Planned, "trial", "trials"))
		return strings.TrimSuffix(over+": "+strings.Join(lacks, "; "), ": ")
	}
	return strings.Join(lacks, "; ")
}

// listed names the first of some tasks or trials and counts the rest.
func listed(names []string) string { return words.First(5, names) }

// AsTable returns a grid as a table: row keys first, then one column per tuple of column
// keys.
func (g *Grid) AsTable(id string) *table.Table {
	t := &table.Table{ID: id, Title: g.title(), Caption: g.caption()}
	for _, key := range g.RowKeys {
		t.Columns = append(t.Columns, table.Column{Name: key})
	}
	for j, col := range g.Cols {
		c := gridColumn(col)
		c.Best = g.best(j)
		t.Columns = append(t.Columns, c)
	}
	for i, row := range g.Rows {
		var entries []table.Entry
		for _, value := range row {
			entries = append(entries, table.Entry{Text: value})
		}
		if len(row) > 0 && strings.Join(row, "") == "" { // an empty name looks like a mistake
			entries[0].Text = words.UnsetMark
		}
		for _, c := range g.Cells[i] {
			entries = append(entries, c.Entry())
		}
		t.Rows = append(t.Rows, table.Row{Entries: entries})
	}
	t.MarkBest()
	t.Notes = slices.Concat(t.Notes, g.Notes, t.Remarks())
	return t
}

// best returns the number that column j marks: none if its measures differ in direction.
func (g *Grid) best(j int) table.Best {
	found := map[table.Best]bool{}
	for _, row := range g.Cells {
		if row[j].State != Unplanned {
			found[row[j].best] = true
		}
	}
	for best := range found {
		if len(found) == 1 {
			return best
		}
	}
	return table.NoBest
}

// gridColumn splits a tuple of column values into the shared and the own heading.
func gridColumn(col []string) table.Column {
	if len(col) == 0 {
		return table.Column{Name: "value", Number: true}
	}
	values := slices.DeleteFunc(slices.Clone(col), func(s string) bool { return s == "" })
	if len(values) < 2 {
		return table.Column{Name: cmp.Or(strings.Join(values, ""), words.UnsetMark), Number: true}
	}
	return table.Column{Group: values[0], Name: strings.Join(values[1:], " "), Number: true}
}

func (g *Grid) title() string {
	if len(g.Table) == 0 {
		return "By " + strings.Join(g.RowKeys, ", ")
	}
	return strings.Join(g.Table, " · ")
}

func (g *Grid) caption() string {
	if g.Numbers {
		return strings.Join(append([]string{"Values ×100, as on leaderboards"}, g.Hidden[1:]...), ", then an unweighted mean over ") + "."
	}
	return fmt.Sprintf("Values ×100. Each is an unweighted mean over %s.", strings.Join(g.Hidden, ", then over "))
}
