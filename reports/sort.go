package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/table"
)

// Sort sorts the requested tables, or the leaderboards, by a column: by its heading, by
// its measure, or by its benchmark or task. The best comes first and rows without a number
// last; names are sorted as text. It returns an error if no table has that column, or if
// one has several with that name.
func (r *Report) Sort(column string) error {
	sorted := false
	for _, t := range r.sortable() {
		j, err := columnOf(t, column)
		if err != nil {
			return err
		}
		if sorted = sorted || j >= 0; j >= 0 {
			sortBy(t, j)
		}
	}
	if !sorted {
		return nearest.Unknown("column", column, r.Columns())
	}
	return nil
}

// Columns returns the shortest names of the columns that Sort accepts.
func (r *Report) Columns() (names []string) {
	for _, t := range r.sortable() {
		for j := range t.Columns {
			names = words.AddNew(names, shortest(t, j))
		}
	}
	return names
}

// sortable lists the tables that Sort sorts.
func (r *Report) sortable() []*table.Table {
	if r.Asked {
		return r.Sections[0].AllTables()
	}
	var out []*table.Table
	for _, b := range r.Boards {
		out = append(out, b.Leaderboard)
	}
	return out
}

// columnOf returns the one column with a name, -1 if there is none.
func columnOf(t *table.Table, name string) (int, error) {
	for _, goesBy := range []func(c table.Column) bool{
		func(c table.Column) bool { return strings.EqualFold(c.Flat(), name) },
		func(c table.Column) bool { return strings.EqualFold(c.Name, name) },
		func(c table.Column) bool { return strings.EqualFold(c.Group, name) },
		func(c table.Column) bool { return name != "" && strings.EqualFold(benchmarkOf(c), name) },
		func(c table.Column) bool { return strings.EqualFold(measureOf(c), metrics.Canonical(name)) },
	} {
		var found []string
		at := -1
		for j, c := range t.Columns {
			if goesBy(c) {
				at, found = j, append(found, fmt.Sprintf("%q", c.Flat()))
			}
		}
		if len(found) > 1 {
			return -1, fmt.Errorf("column %q could be %s: use the full name", name, strings.Join(found, ", "))
		}
		if at >= 0 {
			return at, nil
		}
	}
	return -1, nil
}

// benchmarkOf returns the first name of a shared heading; measureOf returns that of a
// column's own heading.
func benchmarkOf(c table.Column) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(c.Group, "/", " "), " ")
	return name
}

func measureOf(c table.Column) string {
	name, _, _ := strings.Cut(c.Name, " ")
	return name
}

// shortest returns the shortest name that identifies a column.
func shortest(t *table.Table, j int) string {
	c := t.Columns[j]
	for _, name := range []string{measureOf(c), c.Name, benchmarkOf(c), c.Group} {
		if at, err := columnOf(t, name); err == nil && at == j {
			return name
		}
	}
	return c.Flat()
}

// sortedBy begins the sentence that sortBy adds.
const sortedBy = " Sorted by "

// sortBy sorts a table by a column, and states this at the end of its
// caption.
func sortBy(t *table.Table, j int) {
	c := t.Columns[j]
	if !c.Number && !slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Entries[j].Sort != nil }) {
		slices.SortStableFunc(t.Rows, func(a, b table.Row) int { return cmp.Compare(a.Entries[j].Text, b.Entries[j].Text) })
	} else {
		if t.Columns = slices.Clone(t.Columns); c.Best == table.NoBest {
			t.Columns[j].Best = table.Highest
		}
		t.SortBest(j)
		t.Columns[j] = c
	}
	caption, _, _ := strings.Cut(t.Caption, sortedBy)
	t.Caption = strings.TrimSpace(caption + sortedBy + c.Flat() + ".")
}
