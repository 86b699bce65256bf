package beside

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/reports/table"
)

// Columns of the facts about models on a board; the page filters by them
// (page_filters.js).
const (
	sizeAt = 1
	typeAt = 2
)

// addFacts adds columns of size and type to a board. models has the model of each row.
// addFacts reports whether anything is known of any model.
func addFacts(t *table.Table, models []string) bool {
	known := 0
	for i, model := range models {
		size, kind := table.Entry{}, table.Entry{}
		if f, ok := published.FactsOf(model); ok {
			known++
			kind.Text = f.Type()
			if f.Parameters > 0 {
				size = table.Number(f.Size(), float64(f.Parameters))
			}
		}
		t.Rows[i].Entries = slices.Insert(t.Rows[i].Entries, sizeAt, size, kind)
	}
	if known == 0 {
		for i := range t.Rows {
			t.Rows[i].Entries = slices.Delete(t.Rows[i].Entries, sizeAt, typeAt+1)
		}
		return false
	}
	t.Columns = slices.Insert(t.Columns, sizeAt, table.Column{Name: "size", Number: true, Best: table.NoBest}, table.Column{Name: "type"})
	t.Notes = append(t.Notes, fmt.Sprintf("Size (parameters) and type are from %s, which covers %d of %s; instructed models take instructions, closed ones have no public weights.",
		published.FactsSource, known, words.Plural(len(models), "row", "rows")))
	return true
}

// sizeFigures is the largest number of charts against size; fromPoints is the smallest
// number of models in one.
const (
	sizeFigures = 4
	fromPoints  = 8
)

// sizes plots numbers against the models' sizes, for the first group of columns that has
// enough models.
func (b *Board) sizes() (section.Section, error) {
	s := section.Section{ID: b.ID + "-size", Title: "Quality against size", Source: b.Source, Grid: section.Paired}
	t, group := b.Leaderboard, ""
	if t == nil || !b.facts {
		return s, nil
	}
	for j := typeAt + 1; j < len(t.Columns) && len(s.Figures) < sizeFigures; j++ {
		if col := t.Columns[j]; !col.Number || group != "" && col.Group != group {
			continue
		}
		f, err := againstSize(t, j, fmt.Sprintf("%s-size-%d", b.ID, len(s.Figures)+1))
		if err != nil {
			return s, err
		}
		if f != nil {
			group = t.Columns[j].Group
			s.Figures = append(s.Figures, f)
		}
	}
	s.Intro = "Each point is a published row whose size is known. A name marks a model that no smaller one beats. Nothing is tested: published rows have no per-query values."
	return s, nil
}

// sizeMarks returns the marks for the types of models: dense, dense with instructions, and
// others.
func sizeMarks() []chart.Mark {
	return []chart.Mark{
		{Shape: chart.Circle, Name: "dense", Colour: chart.Series[0]},
		{Shape: chart.Diamond, Name: "dense, instructed", Colour: chart.Series[1]},
		{Shape: chart.Triangle, Name: "cross-encoder and others", Colour: chart.Series[2]},
	}
}

// againstSize plots a column against size, for the rows with the most common data; nil if
// there are few rows.
func againstSize(t *table.Table, column int, id string) (*chart.Figure, error) {
	rows, apart := ofOneClass(t, sizeAt, column)
	if len(rows) < fromPoints {
		return nil, nil
	}
	col, marks := t.Columns[column], sizeMarks()
	f := &chart.Figure{ID: id, Title: col.Flat() + " against size", Height: 420, X: chart.Axis{Title: "parameters, millions", Log: true}, Y: chart.Axis{Title: col.Name + " ×100"},
		Alt:   fmt.Sprintf("Scatter of %d models: %s against their number of parameters; the table below holds the numbers.", len(rows), col.Flat()),
		Table: &table.Table{ID: id + "-table", Title: col.Flat() + " against size", Columns: []table.Column{t.Columns[0], t.Columns[sizeAt], t.Columns[typeAt], {Name: col.Name, Number: true, Best: col.Best}}}}
	best, any := 0.0, false
	for _, r := range rows { // by size
		size, kind, value := r.Entries[sizeAt], r.Entries[typeAt].Text, r.Entries[column]
		model := r.Entries[0].Text
		d := chart.Datum{X: *size.Sort / 1e6, Y: words.Scaled(*value.Sort), Tip: fmt.Sprintf("%s\n%s, %s\n%s %s", model, size.Text, kind, col.Name, value.Text)}
		if !any || col.Best.Better(*value.Sort, best) {
			best, any = *value.Sort, true
			d.Name = model[strings.LastIndex(model, "/")+1:]
		}
		k := slices.IndexFunc(marks, func(m chart.Mark) bool { return m.Name == strings.TrimSuffix(kind, ", closed") })
		if k < 0 {
			k = len(marks) - 1
		}
		marks[k].Data = append(marks[k].Data, d)
		f.Table.Rows = append(f.Table.Rows, table.Row{Kind: r.Kind, Entries: []table.Entry{{Text: model}, {Text: size.Text, Sort: size.Sort}, {Text: kind}, {Text: value.Text, Sort: value.Sort}}})
	}
	f.Marks = marks
	f.Caption = "Circles: dense models. Diamonds: dense models that take instructions. Triangles: cross-encoders and others."
	if apart > 0 {
		f.Caption += " " + leftOut(apart)
	}
	return f.Drawn()
}

// leftOut says that some rows are not in a chart.
func leftOut(apart int) string {
	return words.Plural(apart, "row with other data is", "rows with other data are") + " left out, because the numbers are not comparable."
}

// ofOneClass returns the rows that have a number in both columns and the most common data,
// ordered by the first. apart counts the rows with other data.
func ofOneClass(t *table.Table, x, y int) (rows []table.Row, apart int) {
	lacks := func(r table.Row) bool { return r.Entries[x].Sort == nil || r.Entries[y].Sort == nil }
	counts := map[string]int{}
	for _, r := range t.Rows {
		if !lacks(r) {
			counts[r.Class]++
		}
	}
	if len(counts) == 0 {
		return nil, 0
	}
	class := byCount(counts)[0]
	for _, r := range t.Rows {
		switch {
		case lacks(r):
		case r.Class != class:
			apart++
		default:
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b table.Row) int { return cmp.Compare(*a.Entries[x].Sort, *b.Entries[x].Sort) })
	return rows, apart
}
