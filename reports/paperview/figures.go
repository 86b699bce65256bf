package paperview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// diversity is the paper's Figure 3b: a row for each collection with its average pairwise
// similarity and its n-gram frequencies, and a chart of each. Below it is every number of
// the studies.
func (b *builder) diversity() ([]section.Section, error) {
	studies := studiesOf(b.Studies, b.name)
	var measures []string
	for _, s := range studies {
		for _, v := range s.Values {
			if v.Measure == "APS" || strings.HasPrefix(v.Measure, "INGF") {
				measures = words.AddNew(measures, v.Measure)
			}
		}
	}
	slices.SortStableFunc(measures, func(x, y string) int { return strings.Compare(x[:1], y[:1]) }) // APS first, as in the figure
	t := b.figureTable(table.Column{Name: "collection"}, table.Column{Name: "n", Number: true, Best: table.NoBest})
	bars := map[string][]chart.Datum{}
	for _, m := range measures {
		t.Columns = append(t.Columns, table.Column{Name: words.Clean(m), Number: true, Best: table.NoBest})
	}
	for _, s := range studies {
		row := []table.Entry{{Text: words.Clean(s.Name)}, {}}
		for _, m := range measures {
			e := lacking()
			if v, ok := first(s, m); ok {
				e = plain(v.Value)
				if e.Remark = v.Direction; m == "APS" || row[1].Text == "" {
					row[1] = table.Number(words.Group(v.N), float64(v.N))
				}
				bars[m] = bar(v, bars[m], s.Name, 1, s)
			}
			row = append(row, e)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	return b.ofStudies(studies, t, bars)
}

// data is the paper's Table 1: a row for each counted collection.
func (b *builder) data() ([]section.Section, error) {
	studies := studiesOf(b.Studies, b.name)
	printed := dataForm.laidOut(b.paper.Table(dataForm.number))
	t := b.figureTable(dataForm.labels...)
	for _, c := range printed.columns {
		t.Columns = append(t.Columns, c.head(true))
	}
	for _, s := range studies {
		row := []table.Entry{{Text: words.Clean(s.Name)}}
		for _, c := range printed.columns {
			e := lacking()
			if v, ok := first(s, c.metric); ok {
				e = counted(v)
			}
			row = append(row, e)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	return b.ofStudies(studies, t, nil)
}

// isMean reports whether a number about data is a mean, not a count.
func isMean(v results.StudyValue) bool { return strings.HasPrefix(v.Measure, "avg") }

// sides lists the kinds of data that the paper marks as present or absent in a collection.
var sides = []string{"(Q,P)+", "I+", "I-", "Q-", "P-"}

// counted formats a mark, a count, or a mean with the paper's two decimals.
func counted(v results.StudyValue) table.Entry {
	switch {
	case v.Value != nil && slices.Contains(sides, v.Measure):
		return table.Number(map[bool]string{true: "✓", false: "✗"}[*v.Value > 0], *v.Value)
	case v.Value == nil:
		return table.Entry{Text: words.UndefinedMark, Tone: table.Absent}
	case isMean(v):
		return table.Number(words.Fixed(*v.Value, 2), *v.Value)
	}
	return table.Number(words.Group(int(*v.Value)), *v.Value)
}

// figureTable returns the table for a figure of the paper.
func (b *builder) figureTable(columns ...table.Column) *table.Table {
	return &table.Table{ID: "view-" + b.name, Title: b.name + ", as the paper's " + b.shows, Columns: columns,
		Caption: "In native range, as infbench " + cmp.Or(b.verb, b.name) + " measured it. Compare only values with the same n, labels and settings."}
}

// ofStudies returns the sections of a view of studies; nil if there are no studies.
func (b *builder) ofStudies(studies []*results.Study, t *table.Table, bars map[string][]chart.Datum) ([]section.Section, error) {
	if len(studies) == 0 {
		return nil, nil
	}
	s := section.Section{ID: "view-1", Title: t.Title, Tables: []*table.Table{t}, Grid: section.Paired}
	if len(t.Rows) == 0 {
		s.Tables = nil
	}
	t.Notes = append(t.Notes, t.Remarks()...)
	for _, what := range words.SortedKeys(bars) {
		drawn, err := barChart(fmt.Sprintf("view-%s-%d", b.name, len(s.Figures)+1), what, bars[what])
		if err != nil {
			return nil, err
		}
		s.Figures = append(s.Figures, drawn)
	}
	all := b.studyTable(studies)
	if s.Empty() {
		s.Notes = []string{"The studies hold none of the numbers of the figure."}
	}
	return []section.Section{s, {ID: "view-2", Title: all.Title, Tables: []*table.Table{all}}}, nil
}

// bar adds a value to a chart, named by its study if there are several.
func bar(v results.StudyValue, bars []chart.Datum, name string, of int, s *results.Study) []chart.Datum {
	if v.Value == nil {
		return bars
	}
	if of > 1 {
		name += ", " + s.Name
	}
	d := chart.Datum{Name: words.Clean(name), X: words.Round4(*v.Value), Low: words.Round4(*v.Value), High: words.Round4(*v.Value)}
	if v.Low != nil && v.High != nil {
		d.Low, d.High = words.Round4(*v.Low), words.Round4(*v.High)
	}
	d.Tip = fmt.Sprintf("%s\n%s, n = %d", d.Name, words.Fixed(*v.Value, 4), v.N)
	return append(bars, d)
}

// between formats the interval of a value.
func between(v results.StudyValue) table.Entry {
	if v.Low == nil || v.High == nil {
		return table.Entry{}
	}
	return table.Number(fmt.Sprintf("[%s, %s]", words.Fixed(*v.Low, 4), words.Fixed(*v.High, 4)), *v.Low)
}

// barChart draws values as bars with their intervals, one below the other.
func barChart(id, title string, bars []chart.Datum) (*chart.Figure, error) {
	rows := chart.Rows(bars)
	intervals := slices.DeleteFunc(slices.Clone(bars), func(d chart.Datum) bool { return d.Low == d.High })
	f := &chart.Figure{ID: id, Title: words.Clean(title), Height: 70 + 26*len(bars), Caption: "Bars are values, lines are their intervals, if any.",
		X: chart.Axis{Title: words.Clean(title), Zero: true}, Y: rows, Marks: []chart.Mark{{Shape: chart.Bar, Name: words.Clean(title), Data: bars}, {Shape: chart.Interval, Name: "interval", Data: intervals}},
		Alt:   fmt.Sprintf("%s of %d; the table below holds the numbers.", words.Clean(title), len(bars)),
		Table: &table.Table{ID: id + "-table", Title: words.Clean(title), Columns: []table.Column{{Name: "of"}, {Name: "value", Number: true, Best: table.NoBest}}}}
	for _, d := range bars {
		f.Table.Rows = append(f.Table.Rows, table.Row{Entries: []table.Entry{{Text: d.Name}, table.Number(words.Fixed(d.X, 4), d.X)}})
	}
	return f.Drawn()
}
