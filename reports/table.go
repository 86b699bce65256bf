package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Table is a finished table of texts, which every format prints. Its strings
// are clean but not escaped.
type Table struct {
	ID      string // unique within a report, fit for an HTML id
	Title   string
	Caption string // what the table shows, and how its numbers were made
	Columns []Column
	Rows    []Row
	Notes   []string // what a reader must know before quoting a number
}

// Column heads one column. Neighbouring columns of one Group share a heading.
type Column struct {
	Group  string
	Name   string
	Number bool // right-aligned
}

// flat is the heading for formats without shared headings.
func (c Column) flat() string { return strings.TrimSpace(c.Group + " " + c.Name) }

// Row is one line of a table; the first entry heads it.
type Row struct {
	Kind    Kind   // empty where rows are no systems
	Class   string // the best of a column is sought within a class
	Entries []Entry
}

// Entry is one cell.
type Entry struct {
	Text   string
	Sort   *float64 // nil where there is no number
	Best   bool     // the highest of its column and class
	Remark string   // why the number is partial or absent
	Under  string   // said below the number on the page: its rank, its spread
	Tone   Tone
	From   *Link // what the number is computed from; nil where it is no statistic
}

// Tone colours an entry by what a test says of it, never by its size alone.
type Tone string

// The tones.
const (
	Plain  Tone = ""
	Better Tone = "better"
	Worse  Tone = "worse"
	Absent Tone = "absent"
)

// number is an entry that sorts by v.
func number(text string, v float64) Entry { return Entry{Text: text, Sort: &v} }

// entry words a cell of a grid.
func (c Cell) entry() Entry {
	switch c.State {
	case Unplanned:
		return Entry{}
	case Missing:
		return Entry{Text: missingMark, Tone: Absent, Remark: c.remark()}
	case Undefined:
		return Entry{Text: undefinedMark, Tone: Absent, Remark: c.remark()}
	}
	e := number(percent(c.Measure, c.Value), c.Value)
	e.From = c.from
	if c.Aggregate {
		e.Text += aggregateMark
	}
	if c.State == Partial {
		e.Text += partialMark
		e.Remark = c.remark()
	}
	return e
}

// remark says what a partial, undefined or missing cell lacks.
func (c Cell) remark() string {
	var lacks []string
	if len(c.Absent) > 0 {
		lacks = append(lacks, fmt.Sprintf("no value from %s (%s)",
			plural(len(c.Absent), "trial", "trials"), strings.Join(shortIDs(c.Absent), ", ")))
	}
	switch {
	case c.State == Undefined:
		lacks = append(lacks, "undefined for every query")
	case c.Undefined > 0:
		lacks = append(lacks, fmt.Sprintf("undefined for %s", plural(c.Undefined, "query", "queries")))
	}
	if c.State == Partial {
		return fmt.Sprintf("mean over %s of %d of %s: %s", plural(c.Queries, "query", "queries"),
			c.Trials, plural(c.Planned, "trial", "trials"), strings.Join(lacks, "; "))
	}
	return strings.Join(lacks, "; ")
}

// shortIDs cuts trial IDs to what tells them apart in a note.
func shortIDs(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = shorten(id)
	}
	return out
}

// table words a grid: row keys first, then one column per tuple of column keys.
func (g *Grid) table(id string) *Table {
	t := &Table{ID: id, Title: g.title(), Caption: g.caption()}
	for _, key := range g.RowKeys {
		t.Columns = append(t.Columns, Column{Name: key})
	}
	for _, col := range g.Cols {
		t.Columns = append(t.Columns, gridColumn(col))
	}
	for i, row := range g.Rows {
		var entries []Entry
		for _, value := range row {
			entries = append(entries, Entry{Text: value})
		}
		if len(row) > 0 && strings.Join(row, "") == "" { // a row without a name reads as a mistake
			entries[0].Text = unsetMark
		}
		for _, c := range g.Cells[i] {
			entries = append(entries, c.entry())
		}
		t.Rows = append(t.Rows, Row{Entries: entries})
	}
	t.markBest()
	t.Notes = append(t.Notes, t.remarks()...)
	return t
}

// gridColumn splits a tuple of column values into shared and own heading.
func gridColumn(col []string) Column {
	if len(col) == 0 {
		return Column{Name: "value", Number: true}
	}
	values := slices.DeleteFunc(slices.Clone(col), func(s string) bool { return s == "" })
	if len(values) < 2 {
		return Column{Name: cmp.Or(strings.Join(values, ""), unsetMark), Number: true}
	}
	return Column{Group: values[0], Name: strings.Join(values[1:], " "), Number: true}
}

func (g *Grid) title() string {
	if len(g.Table) == 0 {
		return "By " + strings.Join(g.RowKeys, ", ")
	}
	return strings.Join(g.Table, " · ")
}

func (g *Grid) caption() string {
	return fmt.Sprintf("Values ×100. Each is an unweighted mean over %s.", strings.Join(g.Hidden, ", then over "))
}

// markBest marks the highest number of each column and class of rows, all of
// them where several print alike. A single number is not the best of anything.
func (t *Table) markBest() {
	classes := map[string][]int{}
	for i, r := range t.Rows {
		classes[r.Class] = append(classes[r.Class], i)
	}
	for j, col := range t.Columns {
		if !col.Number {
			continue
		}
		for _, rows := range classes {
			t.markBestOf(rows, j)
		}
	}
}

// markBestOf marks the highest number of some rows in column j.
func (t *Table) markBestOf(rows []int, j int) {
	var top *Entry
	count := 0
	for _, i := range rows {
		e := &t.Rows[i].Entries[j]
		if e.Sort == nil {
			continue
		}
		if top == nil || *e.Sort > *top.Sort {
			top = e
		}
		count++
	}
	if count < 2 {
		return
	}
	best := unmarked(top.Text)
	for _, i := range rows {
		e := &t.Rows[i].Entries[j]
		e.Best = e.Sort != nil && unmarked(e.Text) == best
	}
}

// unmarked is the text of a number without what it may be marked by.
func unmarked(text string) string { return strings.TrimRight(text, partialMark+aggregateMark+topMark) }

// aggregateNote explains the mark of means without queries.
const aggregateNote = aggregateMark + " A mean taken over from elsewhere: the values of its queries are not known, so it is neither tested nor ranked."

// remarks lists the remarks of all entries, one note for each row and distinct
// remark, with the columns it holds for.
func (t *Table) remarks() []string {
	var notes []string
	if slices.ContainsFunc(t.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Sort != nil && strings.Contains(e.Text, aggregateMark) })
	}) {
		notes = append(notes, aggregateNote)
	}
	for _, r := range t.Rows {
		columns := map[string][]string{}
		var order []string
		for j, e := range r.Entries {
			if e.Remark == "" {
				continue
			}
			if columns[e.Remark] == nil {
				order = append(order, e.Remark)
			}
			columns[e.Remark] = append(columns[e.Remark], t.Columns[j].flat())
		}
		for _, remark := range order {
			where := strings.Join(columns[remark], ", ")
			if n := len(columns[remark]); n > 2 {
				where = fmt.Sprintf("%d columns", n)
			}
			notes = append(notes, fmt.Sprintf("%s (%s): %s.", r.Entries[0].Text, where, remark))
		}
	}
	return notes
}
