package beside

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/published"
	"infbench/reports/table"
)

// league is the part of a board that was measured on the same data: one order, with ranks.
type league struct {
	name  string // "data A"; "" if all rows have the same data
	table *table.Table
	by    int // column that the rows are ordered by; -1 for none
}

// leagues splits a board by the data of its rows, the largest part first. A part lacks the
// columns that none of its rows has a value in. on describes the data of a class.
func leagues(whole *table.Table, letters map[string]string, means []publishedMean, on func(class string) string) []league {
	counts := map[string]int{}
	for _, r := range whole.Rows {
		counts[r.Class]++
	}
	var out []league
	for i, class := range byCount(counts) {
		l := league{table: part(whole, class, letters != nil)}
		if letters != nil {
			l.name = "data " + letters[class]
			l.table.Title += ", " + l.name
			l.table.Caption = fmt.Sprintf("D%s: %s, measured on %s. %s", l.name[1:], words.Plural(counts[class], "row", "rows"), on(class), whole.Caption)
		}
		if i > 0 {
			l.table.ID = fmt.Sprintf("%s-%d", whole.ID, i+1)
		}
		l.by = lead(l.table, means)
		l.rank()
		l.table.MarkBest()
		l.table.Notes = l.table.Remarks()
		out = append(out, l)
	}
	return out
}

// part returns the rows of a class, with the columns in which one of them has a text, and without
// that of the data if all is told.
func part(whole *table.Table, class string, told bool) *table.Table {
	t := *whole
	t.Columns, t.Rows = nil, nil
	var rows []table.Row
	for _, r := range whole.Rows {
		if r.Class == class {
			rows = append(rows, table.Row{Kind: r.Kind, Class: r.Class})
			t.Rows = append(t.Rows, r)
		}
	}
	for j, col := range whole.Columns {
		if told && col == dataColumn || j > 0 && !slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Entries[j].Text != "" }) {
			continue
		}
		t.Columns = append(t.Columns, col)
		for i := range rows {
			rows[i].Entries = append(rows[i].Entries, t.Rows[i].Entries[j])
		}
	}
	t.Rows = rows
	return &t
}

// rankAt is the column of ranks on a board; the page's script knows it (page_filters.js).
const rankAt = 1

// rank adds a column of ranks by the column of the order: 1 + the number of rows that are better.
func (l *league) rank() {
	if l.by < 0 {
		return
	}
	var ranks []table.Entry
	rank := 0
	for i, r := range l.table.Rows {
		v := r.Entries[l.by].Sort
		if v == nil {
			ranks = append(ranks, table.Entry{})
			continue
		}
		if i == 0 || stats.Compare(*l.table.Rows[i-1].Entries[l.by].Sort, *v) != 0 {
			rank = i + 1
		}
		ranks = append(ranks, table.Number(fmt.Sprint(rank), -float64(rank))) // sorting starts with the highest
	}
	for i := range l.table.Rows {
		l.table.Rows[i].Entries = slices.Insert(l.table.Rows[i].Entries, rankAt, ranks[i])
	}
	l.table.Columns = slices.Insert(l.table.Columns, rankAt, table.Column{Name: "rank", Number: true, Best: table.NoBest})
	l.by++
}

// ordered returns the rows that have a rank.
func (l *league) ordered() []table.Row {
	if l.by < 0 {
		return nil
	}
	n := slices.IndexFunc(l.table.Rows, func(r table.Row) bool { return r.Entries[l.by].Sort == nil })
	if n < 0 {
		n = len(l.table.Rows)
	}
	return l.table.Rows[:n]
}

// answer names the first rows of each order, and the limits of the order.
func answer(all []league) []string {
	var out, others []string
	for i, l := range all {
		rows := l.ordered()
		if len(rows) < 2 {
			continue
		}
		if i > 0 {
			others = append(others, fmt.Sprintf("on %s, of %d, %s", l.name, len(rows), l.at(0)))
			continue
		}
		out = append(out, l.first())
		if col := l.table.Columns[l.by]; strings.HasPrefix(col.Name, metrics.PMRR{}.String()) {
			above := 0
			for _, r := range rows {
				if *r.Entries[l.by].Sort > 0 {
					above++
				}
			}
			are := "are"
			if above == 1 {
				are = "is"
			}
			out = append(out, fmt.Sprintf("%d of the %d %s above 0, where rankings follow a changed instruction more than they go against it.", above, len(rows), are))
		}
	}
	if len(out) == 0 {
		return nil
	}
	last := "Nothing is tested: a published row has one number a task, so it is not known which of two models is better on other queries."
	if len(others) > 0 {
		last += " Numbers on different data are not comparable; the first are " + strings.Join(others, ", and ") + "."
	}
	return append(out, last)
}

// at names a row with the number of the order.
func (l *league) at(i int) string {
	e := l.table.Rows[i].Entries
	return fmt.Sprintf("%s (%s)", e[0].Text, e[l.by].Text)
}

// first names the row that leads the order, or counts those that share the lead.
func (l *league) first() string {
	rows, col := l.ordered(), l.table.Columns[l.by]
	measure, _, _ := strings.Cut(col.Flat(), ",")
	noun := "models"
	if slices.ContainsFunc(rows, func(r table.Row) bool { return strings.Contains(r.Entries[0].Text, " ") }) {
		noun = "rows" // a model has several configurations
	}
	of := fmt.Sprintf("the %s %s of %d %s", col.Best.Word(), measure, len(rows), noun)
	if l.name != "" {
		of += " on " + l.name
	}
	level := 0
	for _, r := range rows {
		if stats.Compare(*r.Entries[l.by].Sort, *rows[0].Entries[l.by].Sort) == 0 {
			level++
		}
	}
	switch level {
	case 1:
		return fmt.Sprintf("%s has %s; the next is %s.", l.at(0), of, l.at(1))
	case 2:
		return fmt.Sprintf("%s and %s have %s.", l.at(0), l.at(1), of)
	}
	return fmt.Sprintf("%s and %s have %s.", l.at(0), words.Plural(level-1, "other", "others"), of)
}

// repository matches names of models on the hub.
var repository = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// pageOf returns the address of a model on the hub; "" if it has none. Models without public
// weights and those that the table of facts does not know have none.
func pageOf(model string) string {
	f, ok := published.FactsOf(model)
	if !ok || f.Closed || !repository.MatchString(model) {
		return ""
	}
	return "https://huggingface.co/" + model
}

// origin names the source of the files of results: " of owner/name, commit ..., licence ...".
func origin(c *published.Collection) string {
	if c.Source != published.SourceMTEB {
		return ""
	}
	o := c.Origin
	if o == (published.Origin{}) {
		return ", which name neither their commit nor their licence"
	}
	out := ""
	if o.Repository != "" {
		out = " of " + words.Clean(o.Repository)
	}
	return out + ", commit " + cmp.Or(o.Commit, "unknown") + ", licence " + words.Clean(cmp.Or(o.Licence, "unknown"))
}
